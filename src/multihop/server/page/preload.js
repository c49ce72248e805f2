// Runs before first paint: sets the chosen theme, and requests the scripts and data of the view in the URL in parallel.
(() => {
  const VIEWS = document.currentScript.dataset.views.split(" ");
  const LISTS = ["indexes", "strategies", "views", "profiles", "reports"].map((what) => `v1/${what}`);
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Without storage, use the system theme.
  }
  // Path and body of a request → its response; api.js picks it up from here.
  const begun = (globalThis.begun = new Map());
  const token = sessionStorage.getItem("multihop-token");
  const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), "content-type": "application/json" };
  const begin = (path, body) => {
    const leaving = new AbortController();
    const request = { headers, signal: leaving.signal, ...(body ? { method: "POST", body: JSON.stringify(body) } : {}) };
    // The page repeats failed requests and reports the error.
    begun.set(`${path} ${request.body ?? ""}`, { leaving, answer: fetch(path, request).catch(() => undefined) });
  };
  const preload = (module) => {
    const href = new URL(`bundle/${module}`, document.currentScript.src);
    document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
  };

  const [path, ...query] = location.hash.replace(/^#\/?/, "").split("?");
  const view = path || "ask";
  const { index: named, q, k = 10, strategy, id, from, passage, beside, ...others } = Object.fromEntries(new URLSearchParams(query.join("?")));
  if (VIEWS.includes(view)) preload(`views/${view}.js`);
  if (view === "ask" && q) preload("parts/result.js");

  /** Request the data of the view exactly as the view does; cases not covered here, such as filters, are left to it. */
  const beginView = ({ indexes }, { default: usual }) => {
    const index = named ?? indexes[0]?.name;
    if (!indexes.some((i) => i.name === index)) return;
    const at = (...parts) => ["v1/indexes", ...[index, ...parts].map(encodeURIComponent)].join("/");
    const plain = Object.keys(others).length === 0;
    if (view === "ask" && !q) begin(at("examples"));
    if (view === "ask" && q && plain) begin(at("answer", "stream"), { question: q, k: Number(k), strategy: strategy ?? usual });
    if (view === "documents" && plain) begin(at("catalog"), { search: "", where: {}, sort: "", descending: false, page: 1, limit: 50 });
    if (view === "document" && id) {
      begin(at("documents", id));
      begin(`${at("neighborhood", from || id)}?steps=1`);
    }
  };

  const offered = document.getElementById("offered").textContent;
  if (offered) {
    const known = JSON.parse(offered);
    for (const list of LISTS) begun.set(`${list} `, { answer: Promise.resolve(Response.json(known[list])) });
    beginView(known["v1/indexes"], known["v1/strategies"]);
  } else {
    for (const list of LISTS) begin(list);
    // From a clone, since a body can be read only once, by the page.
    const answers = LISTS.slice(0, 2).map((list) => begun.get(`${list} `).answer.then((answer) => answer.clone().json()));
    // Once the page has requested the lists itself, it requests the rest too.
    Promise.all(answers).then((lists) => begun.has(`${LISTS[0]} `) && beginView(...lists)).catch(() => undefined);
  }
})();

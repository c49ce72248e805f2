// Runs before anything is painted: sets the theme a person chose, and asks for what the server offers, so that the
// answers come along with the rest of the page and not after it.
(() => {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // A browser that keeps nothing shows the system's theme.
  }
  const token = sessionStorage.getItem("multihop-token");
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const paths = ["indexes", "strategies", "views", "profiles", "reports"].map((what) => `v1/${what}`);
  const begin = (path) => begun.set(path, fetch(path, { headers }).catch(() => undefined));
  globalThis.begun = new Map();
  paths.forEach(begin);
  // The start page shows examples of the first index. Once the page itself has asked for the indexes, it asks for these too.
  const examples = async (answer) => {
    const { indexes = [] } = (await answer?.clone().json()) ?? {};
    if (indexes.length && begun.has(paths[0])) begin(`v1/indexes/${encodeURIComponent(indexes[0].name)}/examples`);
  };
  if (/^(?:#\/?(?:ask)?)?$/.test(location.hash)) begun.get(paths[0]).then(examples).catch(() => undefined);
})();

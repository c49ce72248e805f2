(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  form.hidden = false;
  const cases = [...document.querySelectorAll("details.case")];
  const { who, words } = form.elements;
  const count = document.getElementById("count");
  const shown = () => cases.filter((c) => !c.hidden);
  const apply = () => {
    const wanted = words.value.trim().toLowerCase();
    for (const c of cases) {
      const won = who.value === "" || c.dataset.who === who.value;
      c.hidden = !(won && (wanted === "" || c.textContent.toLowerCase().includes(wanted)));
    }
    count.textContent = `${shown().length} of ${cases.length} shown`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("open").addEventListener("click", () => {
    const all = shown();
    const open = all.some((c) => !c.open);
    for (const c of all) c.open = open;
  });
  const follow = () => {
    const target = location.hash.startsWith("#q") && document.getElementById(location.hash.slice(1));
    if (!target) return;
    target.hidden = false;
    target.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
  apply();
})();

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
  globalThis.begun = new Map(paths.map((path) => [path, fetch(path, { headers }).catch(() => undefined)]));
})();

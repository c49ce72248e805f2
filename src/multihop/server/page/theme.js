// Sets the theme a person chose before anything is painted; without a choice the system's holds.
(() => {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // A browser that keeps nothing shows the system's theme.
  }
})();

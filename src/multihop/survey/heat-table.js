// The table of a survey, on the page and in the report: sorting, filters, rows side by side, and a panel for a cell.

const PARTS = { name: "[name=name]", text: "[name=text]", question: "[name=question]", state: "[name=state]" };

/**
 * Bring a table to life. `root` holds `table.heat` and, each optional, `form.heat-controls`, `section.heat-compared` and
 * `aside.heat-panel`. `contentOf(details)` gives what a cell shows when it is opened; by default what is folded in it.
 */
export function enhance(root, contentOf = folded) {
  const table = root.querySelector("table.heat");
  const head = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies[0].rows];
  for (const mark of table.querySelectorAll(".mark")) mark.hidden = false;
  enableSorting(table, head, rows);
  enableControls(root, head, rows, contentOf);
  enablePanel(root, table, head, contentOf);
}

const nameOf = (row) => row.cells[0].dataset.name;
const summaryOf = (cell) => cell.querySelector("summary") ?? cell;
const folded = (details) => [...details.children].slice(1).map((child) => child.cloneNode(true));

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// --- sorting ---

function enableSorting(table, head, rows) {
  head.forEach((cell, column) => {
    cell.querySelector("button").addEventListener("click", () => {
      const up = cell.getAttribute("aria-sort") !== "ascending";
      for (const other of head) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", up ? "ascending" : "descending");
      const keys = new Map(rows.map((row) => [row, keyOf(row, column)]));
      rows.sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        // Missing values stay at the end in both directions.
        return x[0] - y[0] || (up ? compare(x, y) : compare(y, x));
      });
      table.tBodies[0].append(...rows);
    });
  });
}

/** A column is sorted by its values, numerically if they are numbers. */
function keyOf(row, column) {
  const cell = row.cells[column];
  if (column === 0) return [0, 0, nameOf(row)];
  if (!cell.classList.contains("found")) return [1, 0, ""];
  const text = summaryOf(cell).textContent.trim();
  const number = Number.parseFloat(cell.dataset.number ?? text.replaceAll(",", ""));
  return [0, Number.isNaN(number) ? Infinity : number, text];
}

function compare(a, b) {
  for (let i = 0; i < a.length; i += 1) {
    const order = typeof a[i] === "string" ? a[i].localeCompare(b[i]) : a[i] === b[i] ? 0 : a[i] - b[i];
    if (order) return order;
  }
  return 0;
}

// --- filters, and rows side by side ---

function enableControls(root, head, rows, contentOf) {
  const controls = root.querySelector(".heat-controls");
  if (!controls) return;
  controls.hidden = false;
  const fields = Object.fromEntries(Object.entries(PARTS).map(([name, selector]) => [name, controls.querySelector(selector)]));
  const filter = () => {
    const name = fields.name.value.trim().toLowerCase();
    const text = fields.text.value.trim().toLowerCase();
    const question = fields.question.value;
    const state = fields.state.value;
    const said = (cell) => (cell.dataset.text ?? cell.textContent).toLowerCase();
    const fits = (cell) => (!state || cell.classList.contains(state)) && (!text || said(cell).includes(text));
    for (const row of rows) {
      const cells = [...row.cells].slice(1).filter((cell) => !question || cell.dataset.q === question);
      row.hidden = !nameOf(row).toLowerCase().includes(name) || !cells.some(fits);
    }
    head.forEach((cell, column) => {
      const hidden = column > 0 && question !== "" && rows[0]?.cells[column].dataset.q !== question;
      cell.hidden = hidden;
      for (const row of rows) row.cells[column].hidden = hidden;
    });
    controls.querySelector("output").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  for (const field of Object.values(fields)) field.addEventListener("input", filter);
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.querySelector(".compare").addEventListener("click", () => compareRows(root, head, rows, contentOf));
  controls.querySelector(".print")?.addEventListener("click", () => window.print());
  filter();
}

function compareRows(root, head, rows, contentOf) {
  const marked = rows.filter((row) => row.querySelector(".mark").checked);
  const place = root.querySelector(".heat-compared");
  place.hidden = marked.length === 0;
  if (marked.length === 0) return place.replaceChildren();
  const header = (text, scope) => make("th", { textContent: text, scope });
  const full = (cell) => {
    const details = cell.querySelector("details");
    return make("td", { className: cell.className }, summaryOf(cell).cloneNode(true).textContent, ...(details ? contentOf(details) : []));
  };
  const line = (cell, i) => make("tr", {}, header(cell.textContent, "row"), ...marked.map((row) => full(row.cells[i + 1])));
  const top = make("tr", {}, make("td"), ...marked.map((row) => header(nameOf(row), "col")));
  place.replaceChildren(make("table", {}, make("thead", {}, top), make("tbody", {}, ...head.slice(1).map(line))));
  place.scrollIntoView();
}

// --- the panel ---

function enablePanel(root, table, head, contentOf) {
  const panel = root.querySelector(".heat-panel");
  if (!panel) return;
  let opened;
  const close = () => {
    panel.hidden = true;
    opened?.closest("td").classList.remove("open");
    opened?.focus();
    opened = undefined;
  };
  const button = make("button", { type: "button", className: "close", onclick: close });
  button.setAttribute("aria-label", "Close");
  panel.addEventListener("keydown", (event) => event.key === "Escape" && close());
  table.addEventListener("click", (event) => {
    const summary = event.target.closest("summary");
    if (!summary) return;
    // Beside the table, since a taller cell would push down the rows below it.
    event.preventDefault();
    const cell = summary.closest("td");
    opened?.closest("td").classList.remove("open");
    opened = summary;
    cell.classList.add("open");
    const about = [make("h2", { textContent: nameOf(cell.parentElement) }), make("p", { className: "dim", textContent: head[cell.cellIndex].textContent })];
    const value = cell.classList.contains("found") ? [make("p", { className: "heat-value", textContent: summary.title || summary.textContent })] : [];
    panel.replaceChildren(button, ...about, ...value, ...contentOf(summary.parentElement));
    panel.hidden = false;
    panel.focus({ preventScroll: true });
  });
}

// Sorting, filters, two groups side by side, and print, for the page of a survey.
const byId = (id) => document.getElementById(id);
const table = document.querySelector("table.heat");
const head = [...table.tHead.rows[0].cells];
const body = table.tBodies[0];
const rows = [...body.rows];
const nameOf = (row) => row.cells[0].dataset.name;
const summaryOf = (cell) => (cell.querySelector("summary") ?? cell).textContent.trim();

byId("controls").hidden = false;
for (const mark of document.querySelectorAll(".mark")) mark.hidden = false;

// A column is sorted by its values; where these begin with numbers, by the numbers.
function keyOf(row, column) {
  const cell = row.cells[column];
  if (column === 0) return [0, 0, nameOf(row)];
  if (!cell.classList.contains("found")) return [1, 0, ""];
  const text = summaryOf(cell);
  const number = Number.parseFloat(text.replaceAll(",", ""));
  return [0, Number.isNaN(number) ? Infinity : number, text];
}

function compare(a, b) {
  for (let i = 0; i < a.length; i += 1) {
    const order = typeof a[i] === "string" ? a[i].localeCompare(b[i]) : a[i] === b[i] ? 0 : a[i] - b[i];
    if (order) return order;
  }
  return 0;
}

head.forEach((cell, column) => {
  cell.querySelector("button").addEventListener("click", () => {
    const up = cell.getAttribute("aria-sort") !== "ascending";
    for (const other of head) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keys = new Map(rows.map((row) => [row, keyOf(row, column)]));
    rows.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      // What was not found stays at the end, whichever way is sorted.
      return x[0] - y[0] || (up ? compare(x, y) : compare(y, x));
    });
    body.append(...rows);
  });
});

function filter() {
  const name = byId("name").value.trim().toLowerCase();
  const text = byId("text").value.trim().toLowerCase();
  const question = byId("question").value;
  const state = byId("state").value;
  for (const row of rows) {
    const cells = [...row.cells].slice(1).filter((c) => !question || c.dataset.q === question);
    const fits = (c) => (!state || c.classList.contains(state)) && (!text || c.textContent.toLowerCase().includes(text));
    row.hidden = !nameOf(row).toLowerCase().includes(name) || !cells.some(fits);
  }
  head.forEach((cell, column) => {
    const hidden = column > 0 && question !== "" && rows[0]?.cells[column].dataset.q !== question;
    cell.hidden = hidden;
    for (const row of rows) row.cells[column].hidden = hidden;
  });
  byId("shown").textContent = `${rows.filter((r) => !r.hidden).length} of ${rows.length}`;
}

for (const id of ["name", "text", "question", "state"]) byId(id).addEventListener("input", filter);
byId("controls").addEventListener("submit", (event) => event.preventDefault());
byId("print").addEventListener("click", () => window.print());
byId("compare").addEventListener("click", () => {
  const marked = rows.filter((row) => row.querySelector(".mark").checked);
  const place = byId("compared");
  place.replaceChildren();
  place.hidden = marked.length === 0;
  if (marked.length === 0) return;
  const beside = document.createElement("table");
  const line = beside.createTHead().insertRow();
  const heading = (content) => Object.assign(document.createElement("th"), { textContent: content });
  line.append(heading(""), ...marked.map((row) => heading(nameOf(row))));
  const filled = beside.createTBody();
  head.slice(1).forEach((cell, i) => {
    const across = filled.insertRow();
    across.append(heading(cell.textContent), ...marked.map((row) => row.cells[i + 1].cloneNode(true)));
    for (const details of across.querySelectorAll("details")) details.open = true;
    for (const copy of across.cells) copy.hidden = false;
  });
  place.append(beside);
  place.scrollIntoView();
});
filter();

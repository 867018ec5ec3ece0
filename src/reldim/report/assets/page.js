// What every page has: a choice of colours, tables that can be sorted, printing in light colours.

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

function redraw() {
  for (const picture of Picture.all) picture.draw();
}

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
}

function addTheme() {
  const button = document.getElementById("theme");
  // It says what a click does.
  const tell = () => (button.textContent = isDark() ? "Light colours" : "Dark colours");
  button.hidden = false;
  tell();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    tell();
    redraw();
  });
  dark.addEventListener("change", () => {
    tell();
    redraw();
  });
}

function addPrinting() {
  let theme;
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    for (const picture of Picture.all) picture.print(true);
  });
  addEventListener("afterprint", () => {
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const picture of Picture.all) picture.print(false);
  });
}

function addSorting(table) {
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim();
  };
  const order = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  heads.forEach((head, column) => {
    const button = element("button", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (down ? -1 : 1) * order(key(a, column), key(b, column)));
      table.tBodies[0].append(...rows);
    });
  });
}

function startPage() {
  addTheme();
  addPrinting();
  for (const table of document.querySelectorAll("table.sortable")) addSorting(table);
  redraw();
}

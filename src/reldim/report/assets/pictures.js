// Pictures: uPlot with what a report needs beside it, such as hover text, zoom by buttons and keys,
// a table of the same numbers, and colours that follow the theme.
//
// A picture is drawn from a plain description:
//   x, lines       numbers; a line is {y, look, dots} with look the name of a colour
//   xLabel, yLabel, xLog, yLog, percent
//   dates          writes places that are seconds since 1970
//   names          of the places 0, 1, ... below the horizontal axis
//   marks          [{x | y, look, dashed}], shade [from, to], band [upper line, lower line]
//   ranges         [[x, from, to]], upright strokes behind the dots
//   xRange         where the horizontal axis ends;  yLimits, fromZero  what the other must hold
//   diagonal       true where a point on it has equal coordinates
//   near           "point" where the nearest point counts, not the nearest x
//   text(i)        what to say about a point;  choose(i)  what a click on it does
//   head, rows     the table

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const short = (value) => {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return Number(value.toPrecision(2)).toExponential().replace("+", "");
  return String(Number(value.toPrecision(4)));
};

const share = (value) => (value > 10 ? "over 1000%" : `${short(Number((100 * value).toPrecision(3)))}%`);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Ticks of a logarithmic axis of so many pixels, none closer to the next than asked for: uPlot's own
// begin wherever the axis does.
function logTicks(low, high, length, apart) {
  const [first, last] = [low, high].map((end) => Math.floor(Math.log10(end)));
  const place = (value) => (length * Math.log(value / low)) / Math.log(high / low);
  for (const steps of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1]]) {
    const ticks = [];
    for (let power = first; power <= last; power++) ticks.push(...steps.map((step) => Number(`${step}e${power}`)));
    const within = ticks.filter((tick) => tick >= low && tick <= high);
    const clear = within.every((tick, i) => i === 0 || place(tick) - place(within[i - 1]) >= apart);
    if (clear && within.length > 1) return within;
    if (steps.length === 1 && within.length > 2) {
      const every = Math.ceil(apart / (place(within[1]) - place(within[0])));
      return within.filter((_, i) => i % every === 0);
    }
  }
  return [low, high].map((end) => Number(end.toPrecision(3)));
}

// Names below an axis: not too many of them, and no longer than there is room for.
function namedTicks(names) {
  const step = Math.ceil(names.length / 24);
  return names.map((_, i) => i).filter((i) => i % step === 0);
}

function fittingNames(names, at, width) {
  const letters = Math.floor(((width - 80) / at.length - 6) / 7.5);
  const fits = (name) => (name.length > letters ? `${name.slice(0, letters - 1)}…` : name);
  // A name of three letters and dots tells nothing: count instead, as the tables do.
  return at.map((i) => (letters < 5 && names.some((name) => name.length > letters) ? `${i + 1}` : fits(names[i])));
}

// A little room around the numbers, so that dots at the ends are whole.
function logRange(_, low, high) {
  if (!(low > 0)) return [1, 10];
  const room = Math.max((high / low) ** 0.04, 1.02);
  return [low / room, high * room];
}

class Picture {
  static all = [];

  constructor(id, describe) {
    this.figure = document.getElementById(id);
    this.describe = describe;
    this.logarithmic = true;
    this.printing = false;
    this.box = this.figure.querySelector(".plot");
    this.wide = this.figure.classList.contains("wide");
    this.tip = element("div", { className: "tip", hidden: true });
    this.said = element("div", { className: "unseen" });
    this.said.setAttribute("aria-live", "polite");
    this.figure.append(this.said);
    this.addTools();
    this.addKeys();
    this.table = this.figure.querySelector("details");
    this.table?.addEventListener("toggle", () => this.fillTable());
    new ResizeObserver(() => this.fit()).observe(this.box);
    Picture.all.push(this);
  }

  draw() {
    const spec = (this.spec = this.describe());
    this.plot?.destroy();
    this.tip.hidden = true;
    this.at = null;
    this.axisButton.hidden = !spec.xLog;
    const data = [spec.x, ...spec.lines.map((line) => line.y)];
    this.plot = new uPlot(this.options(spec), data, this.box);
    this.plot.over.append(this.tip);
    // The page scrolls under a finger; uPlot's own layer must not be read out.
    this.plot.root.setAttribute("aria-hidden", "true");
    this.box.setAttribute("aria-label", `${this.title()}. ${this.box.dataset.help}`);
    if (this.table?.open) this.fillTable();
  }

  title() {
    return this.figure.querySelector("h3").textContent;
  }

  get scale() {
    return this.printing ? 2 : 1;
  }

  size() {
    // Print twice as large and show at half the size: the lines come out sharp on paper.
    if (this.printing) return { width: 2 * (this.wide ? 650 : 320), height: 2 * 190 };
    return { width: Math.max(200, this.box.clientWidth), height: 250 };
  }

  fit() {
    if (!this.plot || this.printing) return;
    const wanted = this.size();
    if (wanted.width !== this.plot.width) this.plot.setSize(wanted);
  }

  options(spec) {
    const k = this.scale;
    const log = spec.xLog && this.logarithmic;
    const axis = (own) => ({
      stroke: css("soft"),
      font: `${12 * k}px system-ui, sans-serif`,
      labelFont: `${12 * k}px system-ui, sans-serif`,
      labelSize: 20 * k,
      gap: 4 * k,
      grid: { stroke: css("grid"), width: k },
      ticks: { stroke: css("grid"), width: k, size: 5 * k },
      ...own,
    });
    const logAxis = (across) => ({
      splits: (u, _, low, high) =>
        logTicks(low, high, (across ? u.width - 90 * k : u.height - 70 * k) / k, across ? 38 : 24),
      filter: (_, ticks) => ticks,
    });
    const write = spec.percent ? share : short;
    return {
      ...this.size(),
      padding: [10 * k, 20 * k, 0, 0],
      legend: { show: false },
      cursor: {
        drag: { x: true, y: spec.near === "point", uni: 20 },
        points: { size: 9 * k },
        dataIdx: (u, line, index) => this.nearest(u, line, index),
        y: spec.near === "point",
      },
      scales: {
        x: { time: false, distr: log ? 3 : 1, range: log ? logRange : spec.xRange },
        y: { distr: spec.yLog ? 3 : 1, range: spec.yLog ? logRange : this.room(spec) },
      },
      axes: [
        axis({
          label: spec.xLabel,
          size: 32 * k,
          space: (spec.names ? 10 : spec.dates ? 85 : 45) * k,
          ...(log && logAxis(true)),
          ...(spec.names && { splits: () => namedTicks(spec.names) }),
          values: spec.names
            ? (u, at) => fittingNames(spec.names, at, u.width / k)
            : (_, at) => at.map((value) => (value === null ? "" : (spec.dates ?? short)(value))),
        }),
        axis({
          label: spec.yLabel,
          ...(spec.yLog && logAxis(false)),
          size: (_, texts) => (20 + 7.5 * Math.max(3, ...(texts ?? []).map((text) => text.length))) * k,
          values: (_, at) => at.map((value) => (value === null ? "" : write(value))),
        }),
      ],
      series: [{}, ...spec.lines.map((line) => this.series(line, k))],
      bands: spec.band ? [{ series: spec.band, fill: css("band") }] : [],
      hooks: {
        drawAxes: [(u) => this.drawBelow(u, spec)],
        setCursor: [(u) => this.showTip(u)],
        ready: [(u) => this.listen(u, spec)],
      },
    };
  }

  room({ yLimits, fromZero }) {
    if (yLimits) return () => uPlot.rangeNum(...yLimits, 0.05, true);
    return fromZero ? (_, low, high) => [0, uPlot.rangeNum(0, high || 1, 0.1, true)[1]] : undefined;
  }

  series(line, k) {
    const colour = css(line.look);
    const dots = {
      show: true,
      size: (line.small ? 5 : 6) * k,
      width: (line.hollow ? 1.2 : 0) * k,
      stroke: colour,
      fill: line.hollow ? css("page") : colour,
    };
    return {
      stroke: colour,
      width: 2 * k,
      dash: line.dashed ? [6 * k, 4 * k] : undefined,
      paths: line.dots ? () => null : undefined,
      points: line.dots ? dots : { show: line.knots ?? false, size: 6 * k, fill: colour },
      spanGaps: true,
    };
  }

  drawBelow(u, spec) {
    const { ctx, bbox } = u;
    const rule = (x0, y0, x1, y1, mark) => {
      ctx.beginPath();
      ctx.setLineDash(mark.dashed ? [6 * this.scale, 4 * this.scale] : []);
      ctx.strokeStyle = css(mark.look);
      ctx.lineWidth = 1.5 * this.scale * uPlot.pxRatio;
      ctx.moveTo(x0, y0);
      ctx.lineTo(x1, y1);
      ctx.stroke();
    };
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    if (spec.shade) {
      const [from, to] = spec.shade.map((value) => u.valToPos(Math.max(value, u.scales.x.min), "x", true));
      ctx.fillStyle = css("band");
      ctx.fillRect(from, bbox.top, Math.max(to - from, 2), bbox.height);
    }
    for (const [at, low, high] of spec.ranges ?? []) {
      const x = u.valToPos(at, "x", true);
      rule(x, u.valToPos(low, "y", true), x, u.valToPos(high, "y", true), { look: "soft" });
    }
    for (const mark of spec.marks ?? []) {
      if ("x" in mark) {
        const x = u.valToPos(mark.x, "x", true);
        rule(x, bbox.top, x, bbox.top + bbox.height, mark);
      } else {
        const y = u.valToPos(mark.y, "y", true);
        rule(bbox.left, y, bbox.left + bbox.width, y, mark);
      }
    }
    if (spec.diagonal) {
      const ends = [Math.min(u.scales.x.min, u.scales.y.min), Math.max(u.scales.x.max, u.scales.y.max)];
      const [x0, x1] = ends.map((value) => u.valToPos(value, "x", true));
      const [y0, y1] = ends.map((value) => u.valToPos(value, "y", true));
      rule(x0, y0, x1, y1, { look: "soft", dashed: true });
    }
    ctx.restore();
  }

  nearest(u, line, index) {
    if (this.spec.near !== "point") return index;
    if (line === 1) this.found = this.nearestPoint(u);
    return this.found !== null && u.data[line][this.found] !== null ? this.found : null;
  }

  nearestPoint(u) {
    const { left, top } = u.cursor;
    let found = null;
    let least = 30 ** 2;
    for (let i = 0; i < u.data[0].length; i++) {
      const dx = u.valToPos(u.data[0][i], "x") - left;
      if (Math.abs(dx) > 30) continue;
      const y = this.spec.lines.map((line) => line.y[i]).find((value) => value !== null);
      if (y === undefined) continue;
      const distance = dx ** 2 + (u.valToPos(y, "y") - top) ** 2;
      if (distance < least) [found, least] = [i, distance];
    }
    return found;
  }

  pointAt(u) {
    const index = this.spec.near === "point" ? this.found : u.cursor.idx;
    return u.cursor.left >= 0 && index !== undefined ? index : null;
  }

  showTip(u) {
    const index = this.pointAt(u);
    this.tip.hidden = index === null;
    if (index === null) return;
    this.tip.textContent = this.spec.text(index);
    const { left, top } = u.cursor;
    const right = left > u.over.clientWidth / 2;
    const below = top < u.over.clientHeight / 2;
    Object.assign(this.tip.style, {
      left: right ? "auto" : `${left + 12}px`,
      right: right ? `${u.over.clientWidth - left + 12}px` : "auto",
      top: below ? `${Math.max(top, 0) + 8}px` : "auto",
      bottom: below ? "auto" : `${u.over.clientHeight - top + 8}px`,
    });
  }

  listen(u, spec) {
    if (!spec.choose) return;
    let pressed = 0;
    u.over.addEventListener("mousedown", (event) => (pressed = event.clientX));
    u.over.addEventListener("click", (event) => {
      // A drag zooms, a click chooses.
      const index = this.pointAt(u);
      if (Math.abs(event.clientX - pressed) < 4 && index !== null) spec.choose(index);
    });
  }

  addTools() {
    const tools = element("div", { className: "tools" });
    const button = (text, label, act) => {
      const made = element("button", { type: "button", textContent: text, title: label, onclick: act });
      made.setAttribute("aria-label", label);
      tools.append(made);
      return made;
    };
    button("+", "Zoom in", () => this.zoom(0.5));
    button("−", "Zoom out", () => this.zoom(2));
    button("Show all", "Show all", () => this.zoom(null));
    this.axisButton = button("Log axis", "Logarithmic axis", () => {
      this.logarithmic = !this.logarithmic;
      this.axisButton.setAttribute("aria-pressed", this.logarithmic);
      this.draw();
    });
    this.axisButton.setAttribute("aria-pressed", "true");
    this.box.after(tools);
  }

  zoom(factor) {
    const x = this.plot.scales.x;
    if (factor === null) {
      this.draw();
      return;
    }
    const log = x.distr === 3;
    const to = (value) => (log ? Math.log(value) : value);
    const from = (value) => (log ? Math.exp(value) : value);
    const [low, high] = [to(x.min), to(x.max)];
    const at = this.at ?? this.plot.cursor.idx;
    const seen = at === null || at === undefined ? null : to(this.spec.x[at]);
    const middle = seen !== null && seen >= low && seen <= high ? seen : (low + high) / 2;
    const ends = [this.spec.x[0], this.spec.x.at(-1)].map(to);
    let min = middle - (middle - low) * factor;
    let max = middle + (high - middle) * factor;
    if (max - min >= ends[1] - ends[0]) {
      this.draw();
      return;
    }
    [min, max] = [min, max].map(from);
    this.plot.setScale("x", { min, max });
  }

  addKeys() {
    this.box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const last = this.spec.x.length - 1;
      const now = this.at ?? (event.key === "ArrowLeft" ? last + 1 : -1);
      const moves = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: last };
      if (event.key in moves) this.move(Math.min(Math.max(moves[event.key], 0), last));
      else if (event.key === "+" || event.key === "=") this.zoom(0.5);
      else if (event.key === "-") this.zoom(2);
      else if (event.key === "0") this.zoom(null);
      else if (event.key === "Escape") this.plot.setCursor({ left: -10, top: -10 });
      else if (event.key === "Enter" && this.spec.choose && this.at !== null) this.spec.choose(this.at);
      else return;
      event.preventDefault();
    });
  }

  move(index) {
    const u = this.plot;
    const { min, max } = u.scales.x;
    const x = this.spec.x[index];
    if (x < min || x > max) this.draw();
    const y = this.spec.lines.map((line) => line.y[index]).find((value) => value !== null) ?? null;
    const place = { left: this.plot.valToPos(x, "x"), top: y === null ? 0 : this.plot.valToPos(y, "y") };
    this.plot.setCursor(place);
    this.at = index;
    this.said.textContent = this.spec.text(index);
  }

  fillTable() {
    if (!this.table.open) return;
    const row = (cells, kind) =>
      element("tr", {}, ...cells.map((cell) => element(kind, { textContent: cell })));
    const head = element("thead", {}, row(this.spec.head, "th"));
    for (const cell of head.querySelectorAll("th")) cell.scope = "col";
    const body = element("tbody", {}, ...this.spec.rows().map((cells) => row(cells, "td")));
    const caption = element("caption", { className: "unseen", textContent: this.title() });
    this.table.querySelector(".scroll").replaceChildren(element("table", {}, caption, head, body));
  }

  print(printing) {
    this.printing = printing;
    this.box.classList.toggle("halved", printing);
    this.draw();
  }
}

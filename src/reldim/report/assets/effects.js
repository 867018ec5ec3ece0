// What the predictor makes of single columns; the page that shows it parses its numbers first.

const day = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 10);

function effect(e) {
  const categories = e.kind === "categories";
  const single = e.lines.length === 1;
  const [first] = e.lines;
  const at = (i) => e.lines.map((one) => `${single ? e.quantity : one.name} ${short(one.values[i])}`).join("\n");
  const ends = (i) => `\n(${short(first.low[i])} to ${short(first.high[i])})`;
  return {
    x: e.x,
    lines: [
      ...(single && !categories ? [{ y: first.high, look: "band" }, { y: first.low, look: "band" }] : []),
      ...e.lines.map((one, j) => ({
        y: one.values, look: one.look, dots: categories, hollow: j % 2 === 1, dashed: j % 2 === 1,
      })),
    ],
    band: single && !categories ? [1, 2] : undefined,
    ranges: single && categories ? e.x.map((x, i) => [x, first.low[i], first.high[i]]) : undefined,
    yLimits: single
      ? [Math.min(...first.low), Math.max(...first.high)]
      : [0, Math.max(...e.lines.flatMap((one) => one.values))],
    xLabel: e.name,
    yLabel: e.quantity,
    ...(categories && { names: e.labels, xRange: () => [-0.5, e.x.length - 0.5] }),
    dates: e.kind === "dates" ? day : undefined,
    text: (i) => `${e.name} ${e.labels[i]}\n${at(i)}${single ? ends(i) : ""}`,
    head: [e.name, ...(single ? [e.quantity, "from", "to"] : e.lines.map((one) => one.name))],
    rows: () =>
      e.labels.map((label, i) => [
        label,
        ...(single
          ? [first.values[i], first.low[i], first.high[i]].map(short)
          : e.lines.map((one) => short(one.values[i]))),
      ]),
  };
}

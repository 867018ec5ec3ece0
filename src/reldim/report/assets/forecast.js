// The errors to expect with more rows; the page that shows it parses its numbers first.

function forecast() {
  const f = data.forecast;
  return {
    x: f.rows,
    lines: [
      { y: f.upper, look: "band" },
      { y: f.lower, look: "band" },
      { y: f.error, look: "signal", knots: true },
    ],
    band: [1, 2],
    xLabel: "rows",
    yLabel: `error, ${data.unit}`,
    xLog: true,
    percent: true,
    marks: [{ y: f.floor, look: "noise", dashed: true }],
    yLimits: [Math.min(f.floor, ...f.lower), Math.max(...f.upper)],
    text: (i) => `${f.rows[i]} rows: error ${share(f.error[i])}\n(${share(f.lower[i])} to ${share(f.upper[i])})`,
    head: ["rows", "error", "from", "to"],
    rows: () => f.rows.map((rows, i) => [rows, share(f.error[i]), share(f.lower[i]), share(f.upper[i])]),
  };
}

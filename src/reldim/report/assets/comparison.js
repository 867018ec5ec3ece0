// The page of a comparison: representations beside each other.

const data = JSON.parse(document.getElementById("data").textContent);
const standings = data.standings;
const at = standings.map((_, i) => i);
const column = (name) => standings.map((standing) => standing[name]);
const places = {
  x: at,
  xLabel: "",
  names: column("name"),
  xRange: () => [-0.5, standings.length - 0.5],
};

new Picture("errors", () => ({
  ...places,
  lines: [
    { y: column("error_estimate"), look: "signal", dots: true },
    { y: column("noise_estimate"), look: "noise", dots: true, hollow: true },
  ],
  yLabel: data.unit,
  percent: true,
  fromZero: true,
  text: (i) =>
    `${standings[i].name}\nexpected error ${share(standings[i].error_estimate)}, ` +
    `noise ${share(standings[i].noise_estimate)}`,
  head: ["name", "expected error", "noise"],
  rows: () => standings.map((s) => [s.name, share(s.error_estimate), share(s.noise_estimate)]),
}));

new Picture("dimensions", () => ({
  ...places,
  lines: [{ y: column("dimension"), look: "third", dots: true }],
  ranges: standings.map((s, i) => [i, s.interval_low, s.interval_high]),
  yLabel: "relevant dimension",
  yLimits: [0, Math.max(1, ...column("interval_high"))],
  text: (i) =>
    `${standings[i].name}\nrelevant dimension ${standings[i].dimension} ` +
    `(${standings[i].interval_low} to ${standings[i].interval_high})`,
  head: ["name", "relevant dimension", "from", "to"],
  rows: () => standings.map((s) => [s.name, s.dimension, s.interval_low, s.interval_high]),
}));

new Picture("curves", () => ({
  x: data.dimensions,
  lines: data.curves.map((y, i) => ({ y, look: data.looks[i], dashed: i % 2 === 1 })),
  xLabel: "leading components",
  yLabel: `share of the ${data.targets} left open`,
  xLog: data.dimensions.length > 1,
  percent: true,
  text: (i) =>
    [`${data.dimensions[i]} components`, ...data.curves.map((y, j) => `${standings[j].name} ${share(y[i])}`)].join("\n"),
  head: ["components", ...data.curves.map((_, j) => standings[j].name)],
  rows: () => data.dimensions.map((d, i) => [d, ...data.curves.map((y) => share(y[i]))]),
}));

startPage();

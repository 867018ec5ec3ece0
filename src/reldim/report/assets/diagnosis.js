// The page of a diagnosis: which pictures there are, and the choice among kernels.

const data = JSON.parse(document.getElementById("data").textContent);
let shown = data.shown;

const kernel = () => data.kernels[shown];
const several = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function coefficients() {
  const k = kernel();
  const lowest = k.noise_floor > 0 ? 1e-3 * k.noise_floor : 1e-12;
  const kept = k.shares.map((value) => (value === null ? null : Math.max(value, lowest)));
  const last = (i) => (i + 1 < k.first.length ? k.first[i + 1] - 1 : k.count);
  const name = (i) =>
    last(i) === k.first[i] ? `Component ${k.first[i]}` : `Components ${k.first[i]} to ${last(i)}, mean`;
  return {
    x: k.first,
    lines: [
      { y: kept.map((value, i) => (k.first[i] <= k.dimension ? value : null)), look: "signal", dots: true },
      {
        y: kept.map((value, i) => (k.first[i] > k.dimension ? value : null)),
        look: "noise", dots: true, small: true, hollow: true,
      },
    ],
    xLabel: "kernel PCA component",
    yLabel: `share of the ${data.targets}`,
    xLog: true,
    yLog: true,
    percent: true,
    shade: k.dimension > 0 ? [k.interval[0] + 0.5, k.interval[1] + 0.5] : undefined,
    marks: [
      { y: k.noise_floor, look: "noise", dashed: true },
      ...(k.dimension > 0 ? [{ x: k.dimension + 0.5, look: "soft" }] : []),
    ],
    text: (i) =>
      `${name(i)}: ${share(k.shares[i])} of the ${data.targets}\n` +
      (k.first[i] <= k.dimension ? "relevant" : `noise (mean ${share(k.noise_floor)})`),
    head: ["component", `share of the ${data.targets}`],
    rows: () => k.first.map((first, i) => [last(i) === first ? first : `${first}–${last(i)}`, share(k.shares[i])]),
  };
}

function criterion() {
  const k = kernel();
  return {
    x: k.dimensions,
    lines: [{ y: k.curve, look: "signal", knots: k.curve.length < 30 }],
    xLabel: "dimensions kept",
    yLabel: data.criterion,
    xLog: k.dimensions.length > 1,
    shade: k.dimension > 0 ? k.interval : undefined,
    marks: k.dimension > 0 ? [{ x: k.dimension, look: "noise", dashed: true }] : [],
    text: (i) => `${several(k.dimensions[i], "dimension")}: ${data.criterion} ${short(k.curve[i])}`,
    head: ["dimensions kept", data.criterion],
    rows: () => k.dimensions.map((d, i) => [d, short(k.curve[i])]),
  };
}

// Dots of one class lie beside each other; where is left to chance, but always the same.
const spread = (i) => (((i * 0.618034) % 1) - 0.5) * 0.6;

function labels() {
  const k = kernel();
  const place = data.sample.given.map((code, i) => code + spread(i));
  const order = place.map((_, i) => i).sort((a, b) => place[a] - place[b]);
  const differs = (i) => k.decided[i] !== data.sample.given[i];
  const text = (i) =>
    `Row ${data.sample.names[i]}: given ${data.classes[data.sample.given[i]]}, ` +
    `denoised ${data.classes[k.decided[i]]}\nagreement ${short(k.denoised[i])}`;
  return {
    x: order.map((i) => place[i]),
    lines: [
      { y: order.map((i) => (differs(i) ? null : k.denoised[i])), look: "signal", dots: true },
      { y: order.map((i) => (differs(i) ? k.denoised[i] : null)), look: "noise", dots: true, hollow: true },
    ],
    xLabel: "given label",
    yLabel: "agreement",
    xRange: (u, low, high) => [
      low <= u.data[0][0] ? -0.5 : low,
      high >= u.data[0].at(-1) ? data.classes.length - 0.5 : high,
    ],
    names: data.classes,
    marks: [{ y: 0, look: "soft", dashed: true }],
    near: "point",
    text: (i) => text(order[i]),
    head: ["row", "given label", "denoised label", "agreement"],
    rows: () =>
      k.denoised.map((value, i) => [
        data.sample.names[i], data.classes[data.sample.given[i]], data.classes[k.decided[i]], short(value),
      ]),
  };
}

function measurements() {
  const k = kernel();
  const { given, names, x } = data.sample;
  const at = x ?? given;
  const order = at.map((_, i) => i).sort((a, b) => at[a] - at[b]);
  const pick = (values) => order.map((i) => values[i]);
  const words = (i) =>
    `Row ${names[i]}${x ? `, ${data.sample.x_name} ${short(x[i])}` : ""}: ` +
    `given ${short(given[i])}, denoised ${short(k.denoised[i])}`;
  const lines = x
    ? [
        { y: pick(given), look: "noise", dots: true, hollow: true, small: true },
        { y: pick(k.denoised), look: "signal" },
      ]
    : [{ y: pick(k.denoised), look: "signal", dots: true }];
  return {
    x: pick(at),
    lines,
    xLabel: x ? data.sample.x_name : "given target",
    yLabel: x ? "target" : "denoised target",
    diagonal: !x,
    near: "point",
    text: (i) => words(order[i]),
    head: ["row", ...(x ? [data.sample.x_name] : []), "given target", "denoised target"],
    rows: () =>
      given.map((value, i) => [names[i], ...(x ? [short(x[i])] : []), short(value), short(k.denoised[i])]),
  };
}

// Candidates beside each other, by the parameter in which they differ or in the order of the table.
const parameter = data.axis ?? data.trials.map((_, i) => i + 1);
const line = parameter.map((_, i) => i).sort((a, b) => parameter[a] - parameter[b]);

function candidates(lines, yLabel, own) {
  const write = own.percent ? share : short;
  return {
    x: line.map((i) => parameter[i]),
    // Lines join kernels of one kind only.
    lines: lines.map(({ values, ...look }) => ({
      y: line.map((i) => values[i]), knots: true, dots: data.axis === null, ...look,
    })),
    xLabel: data.axis_name || "number in the table",
    yLabel,
    xLog: data.axis !== null,
    marks: [{ x: parameter[kernel().number], look: "soft", dashed: true }],
    text: (i) =>
      [data.trials[line[i]].name, ...lines.map(({ name, values }) => `${name} ${write(values[line[i]])}`)].join("\n"),
    choose: (i) => choose(line[i]),
    head: ["kernel", ...lines.map(({ name }) => name)],
    rows: () => line.map((i) => [data.trials[i].name, ...lines.map(({ values }) => write(values[i]))]),
    ...own,
  };
}

const column = (name) => data.trials.map((trial) => trial[name]);

const values = () => candidates([{ values: column("value"), look: "signal", name: "criterion" }], data.criterion, {});
const dimensions = () =>
  candidates([{ values: column("dimension"), look: "third", name: "dimension" }], "relevant dimension", {});
const errors = () =>
  candidates(
    [
      { values: column("error"), look: "signal", name: "leave-one-out error" },
      { values: column("noise"), look: "noise", dashed: true, hollow: true, name: "training residual" },
    ],
    data.unit,
    { percent: true },
  );

const chooser = document.getElementById("kernel");

function choose(number) {
  const place = data.kernels.findIndex((picture) => picture.number === number);
  if (place < 0) return;
  shown = place;
  const k = kernel();
  chooser.value = String(number);
  document.getElementById("about-kernel").textContent = k.line;
  ["coefficients", "criterion", "denoised"].forEach((id, i) => {
    document.querySelector(`#${id} h3`).textContent = k.titles[i];
  });
  for (const button of document.querySelectorAll(".pick")) {
    button.setAttribute("aria-pressed", Number(button.dataset.number) === number);
  }
  redraw();
}

chooser.addEventListener("change", () => choose(Number(chooser.value)));
for (const button of document.querySelectorAll(".pick")) {
  button.addEventListener("click", () => choose(Number(button.dataset.number)));
}
new Picture("coefficients", coefficients);
new Picture("criterion", criterion);
new Picture("denoised", data.classes ? labels : measurements);
if (data.trials.length > 1) {
  new Picture("by-criterion", values);
  new Picture("by-dimension", dimensions);
  new Picture("by-error", errors);
}
data.effects.forEach((one, i) => new Picture(`effect-${i}`, () => effect(one)));
if (data.forecast) new Picture("forecast-curve", forecast);
startPage();

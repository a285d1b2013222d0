// --- quantities of a motion: series per axis, torque by cause, limits, and when these are not kept ----------------------------

const KEPT = 1e-9;  // [rad/s, N m] as model/limits.py: what rounding adds to a bound does not break it
const CAUSES = { gravity: COLOURS[3], inertia: COLOURS[0], Coriolis: COLOURS[4], friction: COLOURS[5], springs: COLOURS[2], payload: COLOURS[6] };

const UNITS = { "N m": "Nm", N: "N", "°": "deg", mm: "mm", "°/s": "deg_s", "mm/s": "mm_s", "%": "percent" };  // in names of columns, as of motion files

const seriesOf = (rows, name, kind = "own", word = name) => rows ? [{ rows, name, kind, word }] : [];  // none where there are no rows
const torqueSeries = ({ motion }) => [...seriesOf(motion.measured, "measured", motion.tau ? "measured" : "own"), ...seriesOf(motion.tau, "computed")];
const shareOf = full => axis => full(axis) === null ? null : 100 / full(axis);

// Rows are in SI units for all axes; `scale` leads to the unit shown, null where an axis has no such quantity. `band` are the ends of
// the 95 % band, `limit` the kind of violation that belongs here, `bounds` the lines of an axis, `column` its name in a table.
const QUANTITIES = {
  torque: { series: torqueSeries, band: ({ motion }) => motion.half && [-1, 1].map(side => motion.tau.map((value, k) => value + side * motion.half[k])),
            unit: axis => axis.torque, scale: () => 1, limit: "torque", bounds: axis => axis.effort && [-axis.effort, axis.effort], column: "tau" },
  "torque by cause": { series: actor => Object.entries(causesOf(actor)).flatMap(([name, rows]) => seriesOf(rows, name, "cause")), needs: actor => actor.motion.tau,
                       unit: axis => axis.torque, scale: () => 1, column: "tau" },
  residual: { series: ({ motion }) => seriesOf(residualOf(motion), "measured - computed", "own", "residual"), band: ({ motion }) => motion.half && [-1, 1].map(side => motion.half.map(value => side * value)),
              unit: axis => axis.torque, scale: () => 1, column: "tau" },
  "share of torque limit": { series: torqueSeries, unit: () => "%", scale: shareOf(axis => axis.effort), limit: "torque", bounds: () => [-100, 100], column: "tau" },
  position: { series: ({ motion }) => seriesOf(motion.q, ""), unit: axis => axis.unit, scale: axis => axis.scale, limit: "range",
              bounds: axis => axis.bounded && [axis.low, axis.high], column: "q" },
  speed: { series: ({ motion }) => seriesOf(motion.v, ""), unit: axis => `${axis.unit}/s`, scale: axis => axis.scale, limit: "speed",
           bounds: axis => axis.speed && [-axis.scale * axis.speed, axis.scale * axis.speed], column: "v" },
  "share of speed limit": { series: ({ motion }) => seriesOf(motion.v, ""), unit: () => "%", scale: shareOf(axis => axis.speed), limit: "speed", bounds: () => [-100, 100], column: "v" },
};
const hasQuantity = (actor, { needs, series, scale }) => Boolean(needs ? needs(actor) : series(actor).length) && actor.axes.some(axis => scale(axis) !== null);

function residualOf(motion) {
  const { tau, measured } = motion;
  return motion.residual ??= tau && measured && measured.map((value, k) => value - tau[k]);
}

function causesOf({ motion, answers, axes }) {  // of the computed torque, which is their sum
  if (!motion.causes) {
    const n = axes.length, names = Object.keys(CAUSES).filter(name => answers.has(name));
    motion.causes = Object.fromEntries(names.map(name => [name, new Float64Array(motion.tau.length)]));
    for (let at = 0; at < motion.tau.length; at += n) {
      const row = rows => rows && rows.subarray(at, at + n);
      const parts = answers.parts(row(motion.q), row(motion.v), row(motion.tau), row(motion.a));
      for (const name of names) motion.causes[name].set(parts[name], at);
    }
  }
  return motion.causes;
}

function violationsOf(actor) {  // spans of time in which a limit is not kept at the samples, earliest first
  const { axes, limits, motion } = actor, { t, q, v } = motion, n = axes.length, spans = [];
  const scan = (bound, value) => {
    let span = null;
    for (let k = 0; k < t.length; k++) {
      const x = value(k), beyond = Math.max(x - bound.high, bound.low - x);
      if (!(beyond > 0)) { span = null; continue; }  // NaN, a gap, breaks nothing
      if (!span) spans.push(span = { ...bound, actor, from: t[k], beyond: 0 });
      span.to = t[k];
      if (beyond > span.beyond) Object.assign(span, { beyond, worst: x });
    }
  };
  limits.forEach(limit => scan({ ...limit, kind: "range", text: `${limit.text} =` }, k => limit.row.reduce((sum, part, i) => sum + part * q[k * n + i], 0)));
  const symmetric = (kind, rows, text, size) => rows && axes.forEach((axis, i) => {
    if (size(axis) !== null) scan({ kind, axis: i, text, low: -size(axis) - KEPT, high: size(axis) + KEPT, assumed: axis.assumed[kind] }, k => rows[k * n + i]);
  });
  symmetric("speed", v, "speed", axis => axis.speed);
  torqueSeries(actor).forEach(({ rows, name }) => symmetric("torque", rows, `${name} torque`, axis => axis.effort));
  return spans.sort((first, second) => first.from - second.from);
}

function inWords({ actor, axis: i, kind, text, from, worst, low, high, assumed }) {  // the largest value of a span, and its bounds
  const axis = actor.axes[i], scale = kind === "torque" ? 1 : axis.scale, unit = { torque: axis.torque, speed: `${axis.unit}/s`, range: axis.unit }[kind];
  const shown = value => number(value * scale), bounds = kind === "range" ? `${shown(low)} … ${shown(high)}` : shown(high);
  return `axis ${axis.label} ${kind === "range" ? "out of" : "over"} its ${assumed ? "assumed " : ""}${kind === "range" ? "range" : `${kind} limit`} from ${number(from, 2)} s: ` +
    `${text} ${shown(worst)} ${unit}, ${kind === "range" ? "range" : "limit"} ${bounds}`;
}

function stripsOf(actors, quantity) {  // one per axis and unit, with the series of every robot that has it, in units shown
  const strips = new Map();
  actors.filter(actor => hasQuantity(actor, quantity)).forEach((actor, k) => actor.axes.forEach((axis, i) => {
    const unit = quantity.unit(axis), scale = quantity.scale(axis), n = actor.axes.length, key = `${i} ${unit}`;
    if (scale === null) return;
    const values = rows => actor.motion.t.map((_, at) => rows[at * n + i] * scale);
    if (!strips.has(key)) strips.set(key, { i, unit, label: axis.label, curves: [], bands: [], spans: [], bounds: [] });
    const strip = strips.get(key), band = quantity.band && quantity.band(actor);
    if (quantity.bounds) strip.bounds.push(...(quantity.bounds(axis) || []).filter(bound => !strip.bounds.includes(bound)));
    if (band) strip.bands.push({ actor, sides: band.map(values) });
    for (const { rows, name, kind, word } of quantity.series(actor)) {
      const column = [quantity.column + (i + 1), word, UNITS[unit]].filter(Boolean).join("_");
      strip.curves.push({ actor, rows, name, kind: kind === "own" && k ? "other" : kind, later: k > 0, colour: CAUSES[name], values: values(rows), i, scale, column, unit: UNITS[unit] });
    }
    if (quantity.limit) strip.spans.push(...actor.motion.broken.filter(span => span.kind === quantity.limit && span.axis === i));
  }));
  for (const strip of strips.values()) {
    const known = values => values.some(Number.isFinite);
    strip.curves = strip.curves.filter(({ values }) => known(values));
    strip.bands = strip.bands.filter(({ sides }) => sides.every(known));
    const largest = values => values.reduce((top, x) => Math.abs(x) > top ? Math.abs(x) : top, 0);
    strip.top = Math.max(1e-9, ...strip.curves.map(curve => largest(curve.values)), ...strip.bands.flatMap(band => band.sides.map(largest)));
  }
  return [...strips.values()].filter(({ curves }) => curves.length).sort((first, second) => first.i - second.i);
}

// --- quantities of a motion: series per axis, torque by cause, limits, and when these are not kept ----------------------------

const KEPT = 1e-9;  // [rad/s, N m] as model/limits.py: what rounding adds to a bound does not break it
const CAUSES = { gravity: COLOURS[3], inertia: COLOURS[0], Coriolis: COLOURS[4], friction: COLOURS[5], springs: COLOURS[2], payload: COLOURS[6] };

const UNITS = { "N m": "Nm", N: "N", "°": "deg", mm: "mm", "°/s": "deg_s", "mm/s": "mm_s", "%": "percent", "% of assumed": "percent" };  // in names of columns, as of motion files

const seriesOf = (rows, name, kind = "own", word = name) => rows ? [{ rows, name, kind, word }] : [];  // none where there are no rows
const torqueSeries = ({ motion }) => [...seriesOf(motion.measured, "measured", motion.tau ? "measured" : "own"), ...seriesOf(motion.tau, "computed")];
const speedSeries = ({ motion }) => seriesOf(motion.v, "");
const causeSeries = actor => Object.entries(causesOf(actor)).flatMap(([name, rows]) => seriesOf(rows, name, "cause"));
const bandAbout = (half, centre) => half && [-1, 1].map(side => half.map((value, k) => side * value + (centre ? centre[k] : 0)));
const TORQUE = { column: "tau", unit: axis => axis.torque, scale: () => 1 };
const SPEED = { column: "v", unit: axis => `${axis.unit}/s`, scale: axis => axis.scale };
const percentOf = (full, kind) => ({ unit: axis => axis.assumed[kind] ? "% of assumed" : "%", scale: axis => full(axis) === null ? null : 100 / full(axis), bounds: () => [-100, 100] });

// Rows of a series are in SI units for all axes; `scale` leads to the unit shown, null where an axis has no such quantity. `band` are the
// ends of the 95 % band, `limit` is the kind of violation that belongs here, `bounds` are the lines of an axis, `column` begins its name
// in a table. `needs` tells without the work of `series` whether a robot has the quantity.
const QUANTITIES = {
  torque: { ...TORQUE, series: torqueSeries, band: ({ motion }) => bandAbout(motion.half, motion.tau), limit: "torque", bounds: axis => axis.effort && [-axis.effort, axis.effort] },
  "torque by cause": { ...TORQUE, series: causeSeries, needs: ({ motion }) => motion.tau },
  residual: { ...TORQUE, series: ({ motion }) => seriesOf(residualOf(motion), "measured - computed", "own", "residual"), band: ({ motion }) => bandAbout(motion.half) },
  "share of torque limit": { ...TORQUE, ...percentOf(axis => axis.effort, "torque"), series: torqueSeries, limit: "torque" },
  position: { column: "q", unit: axis => axis.unit, scale: axis => axis.scale, series: ({ motion }) => seriesOf(motion.q, ""),
              limit: "range", bounds: axis => axis.bounded && [axis.low, axis.high] },
  speed: { ...SPEED, series: speedSeries, limit: "speed", bounds: axis => axis.speed && [-axis.scale * axis.speed, axis.scale * axis.speed] },
  "share of speed limit": { ...SPEED, ...percentOf(axis => axis.speed, "speed"), series: speedSeries, limit: "speed" },
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
  const axis = actor.axes[i], range = kind === "range", scale = kind === "torque" ? 1 : axis.scale, shown = value => number(value * scale);
  const unit = { torque: axis.torque, speed: `${axis.unit}/s`, range: axis.unit }[kind], bound = assumed ? "assumed " : "";
  return range ? `axis ${axis.label} out of its ${bound}range from ${number(from, 2)} s: ${text} ${shown(worst)} ${unit}, range ${shown(low)} … ${shown(high)}`
    : `axis ${axis.label} over its ${bound}${kind} limit from ${number(from, 2)} s: ${text} ${shown(worst)} ${unit}, limit ${shown(high)}`;
}

function stripsOf(actors, quantity) {  // one per axis and unit, with the series of every robot that has it, in units shown
  const strips = new Map();
  actors.filter(actor => hasQuantity(actor, quantity)).forEach((actor, k) => {
    const series = quantity.series(actor), band = quantity.band && quantity.band(actor), n = actor.axes.length;
    actor.axes.forEach((axis, i) => {
      const unit = quantity.unit(axis), scale = quantity.scale(axis), key = `${i} ${unit}`;
      if (scale === null) return;
      if (!strips.has(key)) strips.set(key, { i, unit, label: axis.label, curves: [], bands: [], spans: [], bounds: [] });
      const { curves, bands, spans, bounds } = strips.get(key), values = rows => actor.motion.t.map((_, at) => rows[at * n + i] * scale);
      if (band) bands.push({ actor, sides: band.map(values) });
      for (const { rows, name, kind, word } of series) {
        const column = [quantity.column + (i + 1), word, UNITS[unit]].filter(Boolean).join("_");
        curves.push({ actor, rows, name, kind: kind === "own" && k ? "other" : kind, later: k > 0, colour: CAUSES[name], values: values(rows), i, scale, column, unit: UNITS[unit] });
      }
      spans.push(...actor.motion.broken.filter(span => span.kind === quantity.limit && span.axis === i));
      if (quantity.bounds) bounds.push(...(quantity.bounds(axis) || []).filter(bound => !bounds.includes(bound)));
    });
  });
  for (const strip of strips.values()) {
    const known = values => values.some(Number.isFinite);
    strip.curves = strip.curves.filter(({ values }) => known(values));
    strip.bands = strip.bands.filter(({ sides }) => sides.every(known));
    const largest = values => values.reduce((top, x) => Math.abs(x) > top ? Math.abs(x) : top, 0);
    strip.top = Math.max(1e-9, ...strip.curves.map(curve => largest(curve.values)), ...strip.bands.flatMap(band => band.sides.map(largest)));
  }
  return [...strips.values()].filter(({ curves }) => curves.length).sort((first, second) => first.i - second.i);
}

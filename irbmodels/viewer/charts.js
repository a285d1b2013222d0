// --- charts: their scales and paths, on the screen and as files of their own ---------------------------------------------------

const DASH = "4 3", DOTTED = "2 2";     // of a second robot's curves, of limits
const FULL = 0.9, SHADE = 0.2;          // share of a chart's height that its largest value takes; opacity of bands
const RED = "#c40000";

class Plot {  // of values against time: x from 0 to `width`, y down, from -`half` to `half`; ±`top` takes most of it
  constructor({ start, end, top, width, half }) {
    Object.assign(this, { start, end, top, width, half });
  }

  x(t) { return this.width * (t - this.start) / (this.end - this.start || 1); }

  y(value) { return -FULL * this.half * value / this.top; }

  extent(time, series) {  // x, lowest and highest y of each half pixel, and whether a gap is before it
    const columns = new Map();
    let gap = true;
    for (const values of series) for (let k = 0; k < values.length; k++) {
      if (!Number.isFinite(values[k])) { gap = true; continue; }
      const x = Math.round(2 * this.x(time[k])), y = this.y(values[k]), seen = columns.get(x);
      if (!seen) columns.set(x, [y, y, gap]); else { if (y < seen[0]) seen[0] = y; if (y > seen[1]) seen[1] = y; }
      gap = false;
    }
    return [...columns].map(([x, [low, high, gap]]) => [x / 2, low.toFixed(2), high.toFixed(2), gap]);
  }

  curve(time, values) {
    return this.extent(time, [values]).map(([x, low, high, gap]) => `${gap ? "M" : "L"}${x},${low}L${x},${high}`).join("");
  }

  area(time, sides) {  // between the outermost values of both sides
    const columns = this.extent(time, sides).sort((one, other) => one[0] - other[0]);
    const edge = (rows, side) => rows.map(row => `${row[0]},${row[side]}`).join("L");
    return `M${edge(columns, 1)}L${edge([...columns].reverse(), 2)}Z`;
  }

  spans(spans) {  // over the whole height, at least two units wide
    return spans.map(({ from, to }) => {
      const low = Math.max(0, this.x(from) - 1), high = Math.min(this.width, this.x(to) + 1);
      return `M${low.toFixed(2)},${-this.half}H${high.toFixed(2)}V${this.half}H${low.toFixed(2)}Z`;
    }).join("");
  }

  shapes(strip, ink) {  // tags and attributes of all that lies in the plot, from behind
    const { curves, bands, spans, bounds } = strip, level = (y, attributes) => ["line", { x1: 0, x2: this.width, y1: y, y2: y, ...attributes }];
    return [
      ...(spans.length ? [["path", { class: "broken", d: this.spans(spans), fill: RED, "fill-opacity": SHADE, stroke: "none" }]] : []),
      level(0, { class: "zero", stroke: "#c8ccd1" }),
      ...bands.map(({ actor, sides }) => ["path", { class: "band", d: this.area(actor.motion.t, sides), fill: ink(strip, {}), "fill-opacity": SHADE, stroke: "none" }]),
      ...bounds.map(value => this.y(value)).filter(y => Math.abs(y) <= this.half).map(y => level(y, { class: "bound", stroke: RED, "stroke-dasharray": DOTTED })),
      ...curves.map(curve => ["path", { class: curve.kind, d: this.curve(curve.actor.motion.t, curve.values), fill: "none", stroke: ink(strip, curve),
                                        ...(curve.later ? { "stroke-dasharray": DASH } : {}) }]),
    ];
  }
}

function ticks(low, high, most) {  // round numbers in a range, as { value, text }; about as many as asked for
  const rough = (high - low) / most, size = 10 ** Math.floor(Math.log10(rough)), step = size * [1, 2, 5, 10].find(part => part * size >= rough * 0.999);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => ({ value: (first + k) * step, text: number((first + k) * step, digits) }));
}

function chartTable(strips) {  // CSV: all samples of the page, one row per time; cells are empty where a robot has no sample
  const columns = strips.flatMap(({ curves, bands }) => [...curves, ...bands.flatMap(({ actor, sides }) => {
    const [start, unit] = [`${curves[0].column.split("_")[0]}_`, curves[0].unit];
    return sides.map((values, side) => ({ actor, values, column: `${start}${side ? "upper95" : "lower95"}_${unit}` }));
  })]);
  const actors = [...new Set(columns.map(({ actor }) => actor))], rows = new Map(actors.map(actor => [actor, new Map(Array.from(actor.motion.t, (t, k) => [t, k]))]));
  const times = [...new Set(actors.flatMap(actor => Array.from(actor.motion.t)))].sort((one, other) => one - other);
  const quoted = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const header = ["t_s", ...columns.map(({ actor, column }) => quoted(actors.length > 1 ? `${actor.name} ${column}` : column))];
  const lines = times.map(t => [t, ...columns.map(({ actor, values }) => {
    const value = values[rows.get(actor).get(t)];
    return Number.isFinite(value) ? value : "";
  })]);
  return [header, ...lines].map(line => line.join(",")).join("\n") + "\n";
}

const SHEET = { width: 900, left: 66, right: 16, strip: 96, gap: 24, ink: { own: "#1f77b4", other: "#777", measured: "#555", bound: RED, broken: RED } };

function chartDrawing(strips, { start, end, title, legend }) {  // SVG: a document of its own, 180 mm wide, for print
  const { width, left, right, strip: high, gap, ink } = SHEET, across = width - left - right;
  const drawing = svg("svg", { xmlns: "http://www.w3.org/2000/svg", "font-family": "Helvetica, Arial, sans-serif", "font-size": 11 });
  const put = (parent, tag, attributes, text = "") => { const made = parent.appendChild(svg(tag, attributes)); made.textContent = text; return made; };
  const ground = put(drawing, "rect", { width, fill: "#fff" });
  put(drawing, "text", { x: left, y: 20, "font-size": 14, "font-weight": "bold" }, title);
  const limits = [["bound", "limit", strip => strip.bounds.some(value => Math.abs(value) <= strip.top / FULL)], ["broken", "limit not kept", strip => strip.spans.length]];
  const entries = [...legend, ...limits.filter(([, , there]) => strips.some(there)).map(([kind, text]) => ({ kind, text }))];
  let x = left, y = 40;
  for (const { kind, text, colour, later } of entries) {
    const long = 40 + 6.2 * text.length;  // of 11 px letters
    if (x > left && x + long > width - right) { x = left; y += 16; }
    const stroke = colour || ink[kind] || ink.own, dash = later ? DASH : kind === "bound" ? DOTTED : "none", shaded = kind === "band" || kind === "broken";
    put(drawing, "line", { x1: x, x2: x + 22, y1: y - 4, y2: y - 4, stroke, "stroke-width": shaded ? 8 : 1.6, "stroke-opacity": shaded ? SHADE : 1, "stroke-dasharray": dash });
    put(drawing, "text", { x: x + 27, y }, text);
    x += long;
  }
  for (const strip of strips) {
    y += gap;
    const plot = new Plot({ start, end, top: strip.top, width: across, half: high / 2 });
    put(drawing, "text", { x: left, y: y - 5, "font-weight": "bold" }, `axis ${strip.label} [${strip.unit}]`);
    const box = put(drawing, "g", { transform: `translate(${left}, ${y + high / 2})` });
    for (const { value, text } of ticks(-strip.top, strip.top, 6)) {
      put(box, "line", { class: "grid", x1: 0, x2: across, y1: plot.y(value), y2: plot.y(value), stroke: "#eceef0" });
      put(box, "text", { class: "value", x: -6, y: plot.y(value) + 4, "text-anchor": "end" }, text);
    }
    for (const [tag, attributes] of plot.shapes(strip, (_, curve) => curve.colour || ink[curve.kind] || ink.own)) put(box, tag, { "stroke-width": 1.2, ...attributes });
    for (const { value } of ticks(start, end, 10)) put(box, "line", { x1: plot.x(value), x2: plot.x(value), y1: high / 2, y2: high / 2 - 4, stroke: "#333" });
    put(box, "rect", { x: 0, y: -high / 2, width: across, height: high, fill: "none", stroke: "#333" });
    y += high;
  }
  const scale = new Plot({ start, end, top: 1, width: across, half: 1 });
  for (const { value, text } of ticks(start, end, 10)) put(drawing, "text", { class: "time", x: left + scale.x(value), y: y + 15, "text-anchor": "middle" }, text);
  put(drawing, "text", { x: left + across / 2, y: y + 32, "text-anchor": "middle" }, "time [s]");
  const height = y + 44;
  ground.setAttribute("height", height);
  for (const [name, value] of Object.entries({ width: "180mm", height: `${180 * height / width}mm`, viewBox: `0 0 ${width} ${height}` })) drawing.setAttribute(name, value);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawing)}\n`;
}

function download(name, text, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name.replace(/[^\w.-]+/g, "_") });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

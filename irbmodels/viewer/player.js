// --- motions -------------------------------------------------------------------------------------------------------------------

const QUANTITIES = {
  torque: { of: actor => actor.motion.tau || actor.motion.measured, also: actor => actor.motion.tau && actor.motion.measured, band: actor => actor.motion.tau && actor.motion.half, unit: axis => axis.torque, scale: () => 1 },
  position: { of: actor => actor.motion.q, also: () => null, unit: axis => axis.unit, scale: axis => axis.scale },
  speed: { of: actor => actor.motion.v, also: () => null, unit: axis => `${axis.unit}/s`, scale: axis => axis.scale },
};

class Player {
  constructor(actors, panel) {
    this.actors = actors.filter(actor => actor.motion);
    this.panel = panel;
    this.playing = false;
    this.start = Math.min(...this.actors.map(actor => actor.motion.t[0]));
    this.end = Math.max(...this.actors.map(actor => actor.motion.t[actor.motion.t.length - 1]));
    this.t = this.start;
    if (!this.actors.length) return;
    this.button = element("button", { id: "play", textContent: "▶", title: "play or pause; moving a slider pauses", onclick: () => this.playing ? this.pause() : this.play() });
    this.slider = element("input", { type: "range", id: "time", min: this.start, max: this.end, step: "any", title: "time",
                                     onpointerdown: () => this.pause(), oninput: () => this.scrub(this.slider.valueAsNumber) });
    this.clock = element("output", { id: "clock" });
    this.speed = element("select", { id: "speed", title: "speed" }, ...[0.1, 0.25, 0.5, 1, 2, 5].map(x => element("option", { value: x, textContent: `${x}×`, selected: x === 1 })));
    const choices = Object.keys(QUANTITIES).filter(name => this.actors.some(actor => QUANTITIES[name].of(actor)));
    this.quantity = element("select", { id: "quantity", onchange: () => this.draw() }, ...choices.map(name => element("option", { textContent: name })));
    this.legend = element("div", { id: "legend" });
    this.charts = element("div", { id: "charts" });
    document.getElementById("player").append(this.legend, this.charts, element("div", { id: "bar" }, this.button, this.slider, this.clock, this.speed, this.quantity));
    const under = event => {
      const box = this.charts.getBoundingClientRect(), share = Math.min(1, Math.max(0, (event.clientX - box.left) / this.charts.clientWidth));
      return this.start + (this.end - this.start) * share;
    };
    this.charts.addEventListener("pointerdown", event => this.scrub(under(event)));
    this.charts.addEventListener("pointermove", event => event.buttons ? this.scrub(under(event)) : this.hover(under(event)));
    this.charts.addEventListener("pointerleave", () => this.hover(null));
    this.draw();
    this.seek(this.start);
  }

  play() {
    if (!this.actors.length || this.playing) return;
    if (this.t >= this.end) this.t = this.start;
    this.playing = true;
    this.button.textContent = "❚❚";
    let before = null;
    const step = now => {
      const ahead = before === null ? 0 : (now - before) / 1000 * Number(this.speed.value);
      before = now;
      this.seek(this.t + ahead >= this.end ? this.start : this.t + ahead);
      this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.button.textContent = "▶";
  }

  scrub(t) {  // by hand, which stops what plays
    this.pause();
    this.hovered = null;
    this.seek(t);
  }

  hover(t) {  // values under the pointer, or again those of the robot's posture
    this.hovered = t;
    this.read();
  }

  read() {  // the value of each curve at the cursor
    const t = this.hovered ?? this.t, x = 300 * (t - this.start) / (this.end - this.start || 1);
    for (const { output, actor, rows, i, scale, digits } of this.readings) {
      const { t: time } = actor.motion, value = t < time[0] || t > time[time.length - 1] ? NaN : actor.at(t)(rows)[i];
      output.textContent = Number.isFinite(value) ? number(scale * value, digits) : "–";
    }
    this.charts.querySelectorAll("line.hover").forEach(line => ["x1", "x2"].forEach(end => line.setAttribute(end, x)));
    this.when.textContent = `at ${number(t, 2)} s`;
  }

  seek(t) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    for (const actor of this.actors) {
      const row = actor.at(this.t);
      this.panel.set(row(actor.motion.q), null, actor);
      actor.pushed(row(actor.motion.tau));
    }
    this.slider.value = this.t;
    this.clock.textContent = `${number(this.t, 2)} s`;
    this.charts.querySelectorAll("line.now").forEach(line => {
      const x = 300 * (this.t - this.start) / (this.end - this.start || 1);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    });
    this.read();
  }

  draw() {  // a strip per axis and unit, with the curves of every robot that has it
    const quantity = QUANTITIES[this.quantity.value], strips = new Map(), legend = new Map();
    this.actors.filter(actor => quantity.of(actor)).forEach((actor, k) => actor.axes.forEach((axis, i) => {
      const unit = quantity.unit(axis), key = `${i} ${unit}`, also = quantity.also(actor), scale = quantity.scale(axis);
      if (!strips.has(key)) strips.set(key, { i, unit, label: axis.label, curves: [], bands: [] });
      const half = quantity.band && quantity.band(actor);
      if (half) {  // about the computed curve, behind all
        const side = sign => Array.from({ length: half.length / actor.axes.length }, (_, at) => actor.motion.tau[at * actor.axes.length + i] + sign * half[at * actor.axes.length + i]);
        strips.get(key).bands.push({ actor, sides: [side(-1), side(1)] });
        legend.set(half, { kind: "band", text: [this.actors.length > 1 ? actor.name : "", "95 % of measurements"].filter(Boolean).join(" ") });
      }
      for (const [rows, kind] of [[also, "measured"], [quantity.of(actor), k ? "other" : "own"]]) {
        if (!rows) continue;
        const values = Array.from({ length: rows.length / actor.axes.length }, (_, at) => rows[at * actor.axes.length + i] * scale);
        strips.get(key).curves.push({ actor, rows, kind, values, i, scale });
        const source = rows === actor.motion.measured ? "measured" : rows === actor.motion.tau ? "computed" : "";
        legend.set(rows, { kind, text: [this.actors.length > 1 ? actor.name : "", source].filter(Boolean).join(" ") });
      }
    }));
    this.when = element("output", { id: "when" });
    this.legend.replaceChildren(...[...legend.values()].map(({ kind, text }) => element("span", { className: kind, textContent: text })), this.when);
    this.readings = [];
    const sorted = [...strips.values()].sort((one, other) => one.i - other.i);
    this.charts.replaceChildren(...sorted.map(strip => this.strip(strip)));
    this.seek(this.t);
  }

  strip({ i, unit, label, curves, bands }) {
    const most = [...curves.map(({ values }) => values), ...bands.flatMap(({ sides }) => sides)].map(values => values.reduce((top, x) => Math.abs(x) > top ? Math.abs(x) : top, 0));
    const top = Math.max(1e-9, ...most), svg = "http://www.w3.org/2000/svg", strip = document.createElementNS(svg, "svg");
    const digits = top < 10 ? 2 : top < 100 ? 1 : 0, values = element("div", { className: "values" });
    strip.setAttribute("viewBox", "0 -20 300 40");
    strip.setAttribute("preserveAspectRatio", "none");
    const put = (tag, attributes) => {
      const made = strip.appendChild(document.createElementNS(svg, tag));
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    };
    put("line", { class: "zero", x1: 0, x2: 300, y1: 0, y2: 0 });
    for (const { actor, sides } of bands) put("path", { class: "band", d: this.area(actor.motion.t, sides, top), fill: COLOURS[i % 8] });
    for (const curve of curves) {
      const colour = curve.kind === "own" ? COLOURS[i % 8] : "", output = element("output", { className: curve.kind });
      put("path", { class: curve.kind, d: this.curve(curve.actor.motion.t, curve.values, top), stroke: colour });
      output.style.color = colour;
      values.append(output);
      this.readings.push({ ...curve, output, digits: digits + 1 });
    }
    put("line", { class: "now", x1: 0, x2: 0, y1: -20, y2: 20 });
    put("line", { class: "hover", x1: 0, x2: 0, y1: -20, y2: 20 });
    return element("div", { className: "strip" }, element("span", { textContent: `${label}  ±${number(top, digits)} ${unit}` }), values, strip);
  }

  extent(time, series, top) {  // x, lowest and highest value of each half pixel
    const columns = new Map();
    for (const values of series) for (let k = 0; k < values.length; k++) {
      if (!Number.isFinite(values[k])) continue;
      const x = Math.round(600 * (time[k] - this.start) / (this.end - this.start || 1)), y = -18 * values[k] / top;
      const seen = columns.get(x);
      if (!seen) columns.set(x, [y, y]); else { if (y < seen[0]) seen[0] = y; if (y > seen[1]) seen[1] = y; }
    }
    return [...columns].map(([x, [low, high]]) => [x / 2, low.toFixed(2), high.toFixed(2)]);
  }

  curve(time, values, top) {
    return "M" + this.extent(time, [values], top).map(([x, low, high]) => `${x},${low}L${x},${high}`).join("L");
  }

  area(time, sides, top) {  // between the outermost values of both sides
    const columns = this.extent(time, sides, top).sort((one, other) => one[0] - other[0]);
    const edge = (rows, side) => rows.map(row => `${row[0]},${row[side]}`).join("L");
    return `M${edge(columns, 1)}L${edge([...columns].reverse(), 2)}Z`;
  }
}

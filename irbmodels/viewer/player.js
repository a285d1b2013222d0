// --- player: time, the strips of a quantity, marks where a limit is not kept -----------------------------------------------------

const WIDE = 300, MARKS = 8;            // of a strip and of the marks above the time slider, in their own units

class Player {
  constructor(actors, panel) {
    this.actors = actors.filter(actor => actor.motion);
    this.panel = panel;
    this.playing = false;
    this.start = Math.min(...this.actors.map(actor => actor.motion.t[0]));
    this.end = Math.max(...this.actors.map(actor => actor.motion.t[actor.motion.t.length - 1]));
    this.t = this.start;
    if (!this.actors.length) return;
    this.actors.forEach(actor => { actor.motion.broken = violationsOf(actor); });
    this.button = element("button", { id: "play", title: "play or pause; moving a slider pauses", onclick: () => this.playing ? this.pause() : this.play() });
    this.signed("▶", "play");
    this.slider = element("input", { type: "range", id: "time", min: this.start, max: this.end, step: "any", "aria-label": "time [s]",
                                     onpointerdown: () => this.pause(), oninput: () => this.scrub(this.slider.valueAsNumber) });
    this.clock = element("output", { id: "clock" });
    this.speed = element("select", { id: "speed", "aria-label": "speed" }, ...[0.1, 0.25, 0.5, 1, 2, 5].map(x => element("option", { value: x, textContent: `${x}×`, selected: x === 1 })));
    const choices = Object.keys(QUANTITIES).filter(name => this.actors.some(actor => hasQuantity(actor, QUANTITIES[name])));
    this.quantity = element("select", { id: "quantity", "aria-label": "quantity shown", onchange: () => this.draw() }, ...choices.map(name => element("option", { textContent: name })));
    const files = ["csv", "svg"].map(kind => element("button", { id: `save-${kind}`, textContent: kind.toUpperCase(), title: `save the chart as ${kind.toUpperCase()}`, onclick: () => this.save(kind) }));
    this.legend = element("div", { id: "legend" });
    this.charts = element("div", { id: "charts", tabIndex: 0, role: "group", "aria-label": "charts" });
    this.times = element("div", { id: "times", ariaHidden: "true" }, ...ticks(this.start, this.end, 5).map(({ value, text }, k, all) => {
      const tick = element("span", { textContent: k < all.length - 1 ? text : `${text} s` }), share = this.across(value) / WIDE;
      tick.style.left = `${100 * share}%`;
      tick.style.transform = `translateX(-${share > 0.95 ? 100 : 50}%)`;  // within the page
      return tick;
    }));
    const [warning, marks] = this.warnings();
    this.when = element("output", { id: "when" });
    document.getElementById("player").append(element("div", { id: "shown" }, this.quantity, this.when, ...files), this.legend, this.charts, this.times, warning,
      element("div", { id: "bar" }, marks, this.slider, this.button, this.clock, this.speed));
    const under = event => {
      const box = this.charts.querySelector("svg").getBoundingClientRect(), share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
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
    refuse("");
    if (this.t >= this.end) this.t = this.start;
    this.playing = true;
    this.signed("❚❚", "pause");
    let before = null;
    const step = now => {
      const ahead = before === null ? 0 : (now - before) / 1000 * Number(this.speed.value);
      before = now;
      this.seek(this.t + ahead >= this.end ? this.start : this.t + ahead);
      this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  signed(sign, name) {  // what the button does now
    this.button.textContent = sign;
    this.button.setAttribute("aria-label", name);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.signed("▶", "play");
  }

  scrub(t) {  // by hand, which stops what plays
    this.pause();
    refuse("");
    this.hovered = null;
    this.seek(t);
  }

  hover(t) {  // values under the pointer, or again those of the robot's posture
    this.hovered = t;
    this.read();
  }

  across(t) { return WIDE * (t - this.start) / (this.end - this.start || 1); }

  read() {  // the value of each curve at the cursor
    const t = this.hovered ?? this.t;
    for (const { output, actor, rows, i, scale, digits } of this.readings) {
      const { t: time } = actor.motion, value = t < time[0] || t > time[time.length - 1] ? NaN : actor.at(t)(rows)[i];
      output.textContent = Number.isFinite(value) ? number(scale * value, digits) : "–";
    }
    this.cursor("hover", t);
    this.when.textContent = `at ${number(t, 2)} s`;
  }

  cursor(name, t) {
    this.charts.querySelectorAll(`line.${name}`).forEach(line => ["x1", "x2"].forEach(end => line.setAttribute(end, this.across(t))));
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
    this.cursor("now", this.t);
    this.read();
  }

  warnings() {  // the first violation in words, and marks of all of them along the time slider; a click goes there
    const spans = this.actors.flatMap(actor => actor.motion.broken).sort((one, other) => one.from - other.from);
    if (!spans.length) return ["", ""];
    const named = span => `${this.actors.length > 1 ? `${span.actor.name}: ` : ""}${inWords(span)}`, more = spans.length - 1;
    const text = element("button", { id: "violation", textContent: named(spans[0]) + (more ? `; ${more} more` : ""), title: "go there", onclick: () => this.goTo(spans[0]) });
    const plot = new Plot({ start: this.start, end: this.end, top: 1, width: WIDE, half: MARKS / 2 });
    const marks = svg("svg", { id: "marks", viewBox: `0 ${-MARKS / 2} ${WIDE} ${MARKS}`, preserveAspectRatio: "none", role: "img", "aria-label": `${spans.length} violations of limits` });
    marks.append(svg("path", { d: plot.spans(spans) }));
    marks.addEventListener("click", event => {
      const box = marks.getBoundingClientRect(), t = this.start + (this.end - this.start) * (event.clientX - box.left) / box.width;
      const away = ({ from, to }) => Math.max(from - t, t - to, 0);
      this.goTo(spans.reduce((best, span) => away(span) < away(best) ? span : best));
    });
    return [text, marks];
  }

  goTo(span) {  // to the begin of a violation, in a chart that shows it
    if (QUANTITIES[this.quantity.value].limit !== span.kind) {
      this.quantity.value = Object.keys(QUANTITIES).find(name => QUANTITIES[name].limit === span.kind);
      this.draw();
    }
    this.scrub(span.from);
    this.charts.children[this.strips.findIndex(strip => strip.spans.includes(span))].scrollIntoView({ block: "nearest" });
  }

  draw() {  // a strip per axis and unit, with the curves of every robot that has it
    this.strips = stripsOf(this.actors, QUANTITIES[this.quantity.value]);
    const named = (actor, text) => [this.actors.length > 1 ? actor.name : "", text].filter(Boolean).join(" "), entries = new Map();
    for (const { curves, bands } of this.strips) {
      for (const { actor } of bands) entries.set(actor, { kind: "band", text: named(actor, "95 % of measurements") });
      for (const { actor, rows, kind, name, colour, later } of curves) entries.set(rows, { kind, colour, later, text: named(actor, name) });
    }
    this.entries = [...entries.values()].filter(({ text }) => text);
    const thinned = this.actors.filter(({ motion }) => motion.t.length < motion.samples).map(actor => named(actor, `${actor.motion.t.length} of ${actor.motion.samples} samples`));
    this.legend.replaceChildren(...this.entries.map(({ kind, colour, later, text }) => {
      const entry = element("span", { className: later ? `${kind} later` : kind, textContent: text });
      entry.style.setProperty("--ink", colour || "");  // of the dash before the words
      return entry;
    }), ...thinned.map(text => element("span", { textContent: text })));
    this.readings = [];
    this.charts.replaceChildren(...this.strips.map(strip => this.strip(strip)));
    this.seek(this.t);
  }

  strip(strip) {
    const { i, unit, label, curves, top } = strip, plot = new Plot({ start: this.start, end: this.end, top, width: WIDE, half: 20 });
    const digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(top)))), values = element("div", { className: "values" }), text = `${label}  ±${number(top, digits)} ${unit}`;
    const chart = svg("svg", { viewBox: `0 -20 ${WIDE} 40`, preserveAspectRatio: "none", role: "img", "aria-label": `axis ${text}` });
    const scale = element("div", { className: "ticks", ariaHidden: "true" }), put = (tag, attributes) => chart.append(svg(tag, attributes));
    const decade = 10 ** Math.floor(Math.log10(top)), round = decade * Math.floor(top / decade * (1 + 1e-9));  // one digit
    for (const value of [-round, 0, round]) {
      const tick = element("i", { textContent: number(value, Math.max(0, -Math.log10(decade))) });
      tick.style.top = `${50 + 2.5 * plot.y(value)}%`;
      scale.append(tick);
      put("line", { class: "grid", x1: 0, x2: WIDE, y1: plot.y(value), y2: plot.y(value) });
    }
    const ink = (_, curve) => curve.colour || (curve.kind === "own" || !curve.kind ? COLOURS[i % 8] : "");
    for (const [tag, attributes] of plot.shapes(strip, ink)) put(tag, attributes);
    for (const curve of curves) {
      const output = element("output", { className: curve.kind });
      output.style.textDecoration = ink(strip, curve) && `underline 2px ${ink(strip, curve)}`;
      values.append(output);
      this.readings.push({ ...curve, output, digits: digits + 1 });
    }
    for (const name of ["now", "hover"]) put("line", { class: name, x1: 0, x2: 0, y1: -20, y2: 20 });
    return element("div", { className: "strip" }, element("span", { textContent: text }), values, scale, chart);
  }

  save(kind) {  // what is shown now, as a file
    const title = `${this.actors.map(actor => actor.name).join(", ")}: ${this.quantity.value}`, { start, end, entries: legend } = this;
    const text = kind === "csv" ? chartTable(this.strips) : chartDrawing(this.strips, { start, end, title, legend });
    download(`${title}.${kind}`, text, kind === "csv" ? "text/csv" : "image/svg+xml");
  }
}

// --- motions -------------------------------------------------------------------------------------------------------------------

const QUANTITIES = {
  torque: { of: actor => actor.motion.tau || actor.motion.measured, also: actor => actor.motion.tau && actor.motion.measured, unit: axis => axis.torque, scale: () => 1 },
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
    this.button = element("button", { id: "play", textContent: "▶", title: "play or pause", onclick: () => this.playing ? this.pause() : this.play() });
    this.slider = element("input", { type: "range", id: "time", min: this.start, max: this.end, step: "any", oninput: () => this.seek(this.slider.valueAsNumber) });
    this.clock = element("output", { id: "clock" });
    this.speed = element("select", { id: "speed", title: "speed" }, ...[0.1, 0.25, 0.5, 1, 2, 5].map(x => element("option", { value: x, textContent: `${x}×`, selected: x === 1 })));
    const choices = Object.keys(QUANTITIES).filter(name => this.actors.some(actor => QUANTITIES[name].of(actor)));
    this.quantity = element("select", { id: "quantity", onchange: () => this.draw() }, ...choices.map(name => element("option", { textContent: name })));
    this.charts = element("div", { id: "charts" });
    document.getElementById("player").append(this.charts, element("div", { id: "bar" }, this.button, this.slider, this.clock, this.speed, this.quantity));
    const scrub = event => { const box = this.charts.getBoundingClientRect(); this.seek(this.start + (this.end - this.start) * (event.clientX - box.left) / box.width); };
    this.charts.addEventListener("pointerdown", scrub);
    this.charts.addEventListener("pointermove", event => event.buttons && scrub(event));
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

  seek(t) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    for (const actor of this.actors) {
      const { q, tau } = actor.at(this.t);
      this.panel.set(q, null, actor);
      actor.pushed(tau);
    }
    this.slider.value = this.t;
    this.clock.textContent = `${number(this.t, 2)} s`;
    this.charts.querySelectorAll("line.now").forEach(line => {
      const x = 300 * (this.t - this.start) / (this.end - this.start || 1);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    });
  }

  draw() {  // a strip per axis and unit, with the curves of every robot that has it
    const quantity = QUANTITIES[this.quantity.value], strips = new Map();
    this.actors.filter(actor => quantity.of(actor)).forEach((actor, k) => actor.axes.forEach((axis, i) => {
      const unit = quantity.unit(axis), key = `${i} ${unit}`, n = actor.axes.length;
      if (!strips.has(key)) strips.set(key, { i, unit, label: axis.label, curves: [] });
      for (const [rows, kind] of [[quantity.also(actor), "measured"], [quantity.of(actor), k ? "other" : "own"]]) {
        if (!rows) continue;
        const values = Array.from({ length: rows.length / n }, (_, at) => rows[at * n + i] * quantity.scale(axis));
        strips.get(key).curves.push({ time: actor.motion.t, kind, values });
      }
    }));
    const sorted = [...strips.values()].sort((one, other) => one.i - other.i);
    this.charts.replaceChildren(...sorted.map(({ i, unit, label, curves }) => {
      const most = curves.map(({ values }) => values.reduce((top, x) => Math.abs(x) > top ? Math.abs(x) : top, 0));
      const top = Math.max(1e-9, ...most), svg = "http://www.w3.org/2000/svg", strip = document.createElementNS(svg, "svg");
      strip.setAttribute("viewBox", "0 -20 300 40");
      strip.setAttribute("preserveAspectRatio", "none");
      const put = (tag, attributes) => {
        const made = strip.appendChild(document.createElementNS(svg, tag));
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      };
      put("line", { class: "zero", x1: 0, x2: 300, y1: 0, y2: 0 });
      for (const { time, kind, values } of curves) put("path", { class: kind, d: this.curve(time, values, top), stroke: kind === "own" ? COLOURS[i % 8] : "" });
      put("line", { class: "now", x1: 0, x2: 0, y1: -20, y2: 20 });
      const scale = number(top, top < 10 ? 2 : top < 100 ? 1 : 0);
      return element("div", { className: "strip" }, strip, element("span", { textContent: `${label}  ±${scale} ${unit}` }));
    }));
    this.seek(this.t);
  }

  curve(time, values, top) {  // lowest and highest value of each half pixel
    const columns = new Map();
    for (let k = 0; k < values.length; k++) {
      if (!Number.isFinite(values[k])) continue;
      const x = Math.round(600 * (time[k] - this.start) / (this.end - this.start || 1)), y = -18 * values[k] / top;
      const seen = columns.get(x);
      if (!seen) columns.set(x, [y, y]); else { if (y < seen[0]) seen[0] = y; if (y > seen[1]) seen[1] = y; }
    }
    return "M" + [...columns].map(([x, [low, high]]) => `${x / 2},${low.toFixed(2)}L${x / 2},${high.toFixed(2)}`).join("L");
  }
}

// --- answers of the robot that is moved: torques that hold it, a payload, targets to copy, singularities ----------------------

const PAYLOAD = [["mass", "kg"], ["x", "mm"], ["y", "mm"], ["z", "mm"]];  // its centre in the TCP's frame

class AnswerPanel {
  constructor(open) {  // folded where a motion needs the room
    this.payload = [0, 0, 0, 0];
    this.torques = element("div", { id: "torques" });
    this.loads = PAYLOAD.map(([name, unit], i) => {
      const named = { title: `payload: ${name} [${unit}]`, "data-step": i ? 10 : 1, onkeydown: stepped };
      const slider = element("input", { type: "range", id: `payload-${name}`, step: "any", ...named });
      const field = element("input", { type: "number", id: `payload-${name}-field`, step: i ? 10 : 1, value: 0, ...named });
      for (const input of [slider, field]) input.addEventListener("input", () => {
        if (!Number.isFinite(input.valueAsNumber)) return;
        this.payload[i] = i ? input.valueAsNumber / 1000 : Math.max(0, input.valueAsNumber);
        (input === slider ? field : slider).value = input === slider ? number(input.valueAsNumber, i ? 0 : 2) : input.value;
        this.refresh();
      });
      return { slider, field, row: element("label", { className: "load" }, element("b", { textContent: name }), slider, field, element("span", { textContent: unit })) };
    });
    this.rating = element("div", { className: "caption", id: "rating" });
    this.holding = element("details", { id: "holding", open }, element("summary", { textContent: "Torque that holds the posture" }),
                           this.torques, this.rating, ...this.loads.map(load => load.row));
    this.targets = Object.fromEntries(["robtarget", "jointtarget"].map(kind => {
      const text = element("output", { id: kind, className: "target" });
      const copy = element("button", { textContent: "copy", title: `copy the ${kind}`, "aria-label": `copy the ${kind}`, onclick: () => copied(text, copy) });
      return [kind, { text, row: element("div", { className: "copied" }, element("b", { textContent: kind }), copy, text) }];
    }));
    this.singular = element("div", { id: "singular" });
    this.postures = element("div", { id: "postures" });
    this.regions = element("div", { id: "regions" });
    const part = (id, title, ...children) => element("details", { id, open }, element("summary", { textContent: title }), ...children);
    this.others = part("others", "Postures of this pose", this.postures);
    this.coupled = part("coupled", "Coupled ranges", this.regions);
    this.node = element("div", { id: "answers" }, this.holding, this.others, part("rapid", "RAPID", ...Object.values(this.targets).map(one => one.row)),
                        part("nearness", "Singularities", this.singular), this.coupled);
  }

  choose(actor) {
    this.actor = actor;
    const { answers, axes, size } = actor, heavy = 2 * (answers.payload || 10);
    this.others.hidden = !answers.solve;
    this.targets.jointtarget.row.hidden = !answers.places;
    this.targets.robtarget.row.hidden = axes.length > 6;  // it has an arm angle, which is none of the posture alone
    this.plots = pairs(actor).map(([i, j]) => new Region(actor, i, j));
    this.coupled.hidden = !this.plots.length;
    this.regions.replaceChildren(...this.plots.map(plot => plot.node));
    this.holding.hidden = !answers.gravity;
    this.loads.forEach(({ slider, field }, i) => {
      const far = Math.round(500 * size);
      Object.assign(slider, { min: i ? -far : 0, max: i ? far : heavy, value: i ? 1000 * this.payload[i] : this.payload[i] });
      field.value = number(slider.valueAsNumber, i ? 0 : 2);
    });
    this.bars = axes.map((axis, i) => {
      const bar = element("i"), value = element("output", { id: `torque-${i}` });
      return { bar, value, row: element("div", { className: "torque" }, element("b", { textContent: axis.label }), element("span", {}, bar), value) };
    });
    this.torques.replaceChildren(...this.bars.map(one => one.row));
  }

  found() {  // the postures of the pose of the TCP, in the order of the closed form
    const { answers, q, limits } = this.actor, T = Array.from(answers.pose(q));
    return answers.postures([0, 4, 8, 12].map(k => T.slice(k, k + 4)), q, limits).postures.sort((one, other) => one.slot - other.slot);
  }

  choices(found) {  // a button for each posture; those that are there stay, and with them the focus
    const { answers, axes, q } = this.actor, buttons = [...this.postures.children];
    buttons.slice(found.length).forEach(button => button.remove());
    const names = found.map(one => `[${answers.configuration(one.q).join(",")}]`);
    found.forEach((one, k) => {
      const button = buttons[k] || this.postures.appendChild(element("button")), twins = found.filter((_, i) => names[i] === names[k]);
      const broken = this.actor.violations(one.q), outside = [...new Set(broken.map(limit => axes[limit.axis].label))].join(", ");
      button.textContent = [names[k], [...sides(answers.arm.kind, one.slot, twins), ...(outside ? [`OUTSIDE axis ${outside}`] : [])].join(", ")].join(" ").trim();
      button.className = one.inside ? "" : "out";
      button.title = [axes.map((axis, i) => number(one.q[i] * axis.scale)).join("  "), ...broken.map(limit => this.actor.inRange(limit, one.q, " ="))].join("; ");
      button.setAttribute("aria-pressed", same(one.q, q));
      button.onclick = () => panel.move(one.q);
    });
  }

  torque() {  // [N m, N] that holds robot and payload
    const { answers, q } = this.actor, [mass, ...centre] = this.payload;
    const load = mass ? answers.held(q, mass, centre) : null;
    return answers.gravity(q).map((value, i) => value + (load ? load[i] : 0));
  }

  refresh() {
    const { answers, axes, q } = this.actor;
    const held = answers.carried + this.payload[0], above = answers.payload !== null && held > answers.payload + ROUND;
    this.rating.textContent = "payload, its centre from the TCP" + (above ? `: ${trimmed(held, 2)} kg with the tool, above the rated ${trimmed(answers.payload, 2)} kg` : "");
    this.rating.classList.toggle("above", above);
    if (answers.gravity) this.torque().forEach((value, i) => {
      const { bar, value: text } = this.bars[i], { effort, torque, largest, assumed } = axes[i], full = effort || largest, share = value / full;
      bar.style.left = `${50 * (1 + Math.max(-1, Math.min(0, share)))}%`;
      bar.style.width = `${50 * Math.min(1, Math.abs(share))}%`;
      bar.className = effort && Math.abs(share) > 1 ? "out" : "";
      text.value = `${number(value)} ${torque}${effort ? ` ${number(100 * Math.abs(share), 0)} %${assumed.torque ? "*" : ""}` : ""}`;
      text.title = effort && assumed.torque ? "* of an assumed limit" : "";
    });
    this.targets.robtarget.text.value = answers.robtarget(q);
    if (answers.places) this.targets.jointtarget.text.value = answers.jointtarget(q, axes);
    const lines = [`manipulability ${answers.manipulability(q).toPrecision(4)}`];
    if (answers.arm && !answers.arm.offset) for (const [kind, value] of Object.entries(answers.distances(q))) {
      lines.push(kind === "shoulder" ? `shoulder ${number(1000 * value)} mm` : `${kind} ${number(value * 180 / Math.PI)}°`);
    }
    this.plots.forEach(plot => plot.refresh());
    if (answers.solve) this.choices(this.found());
    this.singular.replaceChildren(...lines.map(line => element("span", { textContent: line })));
  }
}

const SIDES = [["axis 5 +", "axis 5 −"], ["elbow up", "elbow down"], ["front", "back"]];  // of the bits of a slot, from the lowest on
function sides(kind, slot, twins) {  // what tells a posture from others of the same configuration data
  const pairs = { "six axes": SIDES, palletizer: SIDES.slice(1), scara: [["elbow +", "elbow −"]] }[kind], side = (one, bit) => one >> bit & 1;
  return pairs.map((pair, bit) => twins.some(other => side(other.slot, bit) !== side(slot, bit)) && pair[side(slot, bit)]).filter(Boolean).reverse();
}

const same = (one, other) => one.every((value, i) => Math.abs(value - other[i]) < 1e-6);
const pairs = ({ limits }) => {  // of axes whose ranges depend on each other
  const found = limits.map(limit => limit.row.map((part, i) => part ? i : -1).filter(i => i >= 0)).filter(axes => axes.length === 2);
  return [...new Set(found.map(axes => axes.join()))].map(text => text.split(",").map(Number));
};

class Region {  // the postures of two axes that keep every range of the two, and where the robot is
  constructor(actor, i, j) {
    Object.assign(this, { actor, i, j });
    const { axes, limits } = actor, [wide, high] = [axes[i], axes[j]];
    const bounds = limits.filter(limit => limit.row.every((part, k) => !part || k === i || k === j));
    const [low, top] = [wide.low / wide.scale, wide.high / wide.scale], [under, over] = [high.low / high.scale, high.high / high.scale];
    this.box = [low, top, under, over];
    let corners = [[low, under], [top, under], [top, over], [low, over]];
    for (const { row, low, high } of bounds) {
      corners = clipped(corners, ([x, y]) => row[i] * x + row[j] * y - low);
      corners = clipped(corners, ([x, y]) => high - row[i] * x - row[j] * y);
    }
    this.dot = svg("circle", { r: 3 });
    const shape = svg("polygon", { points: corners.map(point => this.at(...point).join()).join(" ") });
    const text = (x, y, words, anchor) => Object.assign(svg("text", { x, y, "text-anchor": anchor }), { textContent: words });
    const shown = (axis, value) => number(value * axis.scale, 0);
    this.node = svg("svg", { viewBox: "-34 -8 242 124", class: "region", role: "img", "aria-label": `range of axes ${wide.label} and ${high.label}` });
    this.node.append(svg("rect", { width: 200, height: 96 }), shape, this.dot,
      text(0, 110, shown(wide, low), "start"), text(200, 110, `${shown(wide, top)}${wide.unit}`, "end"), text(100, 110, `axis ${wide.label}`, "middle"),
      text(-3, 96, shown(high, under), "end"), text(-3, 8, shown(high, over), "end"), text(-3, 52, `axis ${high.label}`, "end"));
  }

  at(x, y) {
    const [low, top, under, over] = this.box;
    return [200 * (x - low) / (top - low), 96 * (over - y) / (over - under)];
  }

  refresh() {
    const [x, y] = this.at(this.actor.q[this.i], this.actor.q[this.j]);
    this.dot.setAttribute("cx", Math.min(204, Math.max(-4, x)));
    this.dot.setAttribute("cy", Math.min(100, Math.max(-4, y)));
  }
}

const svg = (tag, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

function clipped(corners, inside) {  // a convex polygon by a half plane
  return corners.flatMap((point, k) => {
    const next = corners[(k + 1) % corners.length], here = inside(point), there = inside(next), share = here / (here - there);
    const crossing = here * there < 0 ? [point.map((x, i) => x + share * (next[i] - x))] : [];
    return here >= 0 ? [point, ...crossing] : crossing;
  });
}

async function copied(text, button) {  // to the clipboard; selected where the browser does not let a page have it
  try { await navigator.clipboard.writeText(text.value); } catch {
    getSelection().selectAllChildren(text);
    document.execCommand("copy");
  }
  flash(button, "copied", "copy");
}

// --- answers of the robot that is moved: torques that hold it, a payload, targets to copy, singularities ----------------------

const PAYLOAD = [["mass", "kg"], ["x", "mm"], ["y", "mm"], ["z", "mm"]];  // its centre in the TCP's frame

class AnswerPanel {
  constructor() {
    this.payload = [0, 0, 0, 0];
    this.torques = element("div", { id: "torques" });
    this.loads = PAYLOAD.map(([name, unit], i) => {
      const slider = element("input", { type: "range", id: `payload-${name}`, step: "any", title: `payload: ${name} [${unit}]` });
      const field = element("input", { type: "number", id: `payload-${name}-field`, step: i ? 10 : 1, value: 0, title: `payload: ${name} [${unit}]` });
      for (const input of [slider, field]) input.addEventListener("input", () => {
        if (!Number.isFinite(input.valueAsNumber)) return;
        this.payload[i] = i ? input.valueAsNumber / 1000 : Math.max(0, input.valueAsNumber);
        (input === slider ? field : slider).value = input === slider ? number(input.valueAsNumber, i ? 0 : 2) : input.value;
        this.refresh();
      });
      return { slider, field, row: element("label", { className: "axis" }, element("b", { textContent: name }), slider, field, element("span", { textContent: unit })) };
    });
    this.holding = element("details", { id: "holding", open: true }, element("summary", { textContent: "Torque that holds the posture" }),
                           this.torques, element("div", { className: "caption", textContent: "payload, its centre from the TCP" }), ...this.loads.map(load => load.row));
    this.targets = Object.fromEntries(["robtarget", "jointtarget"].map(kind => {
      const text = element("output", { id: kind, className: "target" });
      const copy = element("button", { textContent: "copy", title: `copy the ${kind}`, onclick: () => copied(text, copy) });
      return [kind, { text, row: element("div", { className: "copied" }, element("b", { textContent: kind }), copy, text) }];
    }));
    this.singular = element("div", { id: "singular" });
    this.node = element("div", { id: "answers" }, this.holding,
                        element("details", { id: "rapid", open: true }, element("summary", { textContent: "RAPID" }), ...Object.values(this.targets).map(one => one.row)),
                        element("details", { id: "nearness", open: true }, element("summary", { textContent: "Singularities" }), this.singular));
  }

  choose(actor) {
    this.actor = actor;
    const { answers, axes, size } = actor, heavy = Math.max(1, Math.round(4 * actor.rated || 20));
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

  torque() {  // [N m, N] that holds robot and payload
    const { answers, q } = this.actor, [mass, ...centre] = this.payload;
    const load = mass ? answers.held(q, mass, centre) : null;
    return answers.gravity(q).map((value, i) => value + (load ? load[i] : 0));
  }

  refresh() {
    const { answers, axes, q } = this.actor;
    if (answers.gravity) this.torque().forEach((value, i) => {
      const { bar, value: text } = this.bars[i], { effort, torque, largest } = axes[i], full = effort || largest, share = value / full;
      bar.style.left = `${50 * (1 + Math.max(-1, Math.min(0, share)))}%`;
      bar.style.width = `${50 * Math.min(1, Math.abs(share))}%`;
      bar.className = effort && Math.abs(share) > 1 ? "out" : "";
      text.value = `${number(value)} ${torque}${effort ? ` ${number(100 * Math.abs(share), 0)} %` : ""}`;
    });
    this.targets.robtarget.text.value = answers.robtarget(q);
    this.targets.jointtarget.text.value = answers.jointtarget(q, axes);
    const lines = [`manipulability ${answers.manipulability(q).toPrecision(4)}`];
    if (answers.arm) for (const [kind, value] of Object.entries(answers.distances(q))) {
      lines.push(kind === "shoulder" ? `shoulder ${number(1000 * value)} mm` : `${kind} ${number(value * 180 / Math.PI)}°`);
    }
    this.singular.replaceChildren(...lines.map(line => element("span", { textContent: line })));
  }
}

async function copied(text, button) {  // to the clipboard; selected where the browser does not let a page have it
  try { await navigator.clipboard.writeText(text.value); } catch {
    getSelection().selectAllChildren(text);
    document.execCommand("copy");
  }
  button.textContent = "copied";
  setTimeout(() => { button.textContent = "copy"; }, 1000);
}

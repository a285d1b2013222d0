// --- keys: steps of sliders, shortcuts, and the dialog that lists them ----------------------------------------------------------

const TURN = Math.PI / 36, NEARER = 0.9, NUDGE = 0.01;  // of the view by a key [rad], its distance, and of the tool [m]

function stepped(event) {  // an arrow key on a slider or its field: a step of its data, with Shift a tenth
  const input = event.target, steps = STEPS[event.key], { ctrlKey, metaKey, altKey } = event;
  if (!steps || !input.dataset.step || input.readOnly || ctrlKey || metaKey || altKey || (input.type === "number" && /Left|Right/.test(event.key))) return;
  event.preventDefault();
  const value = (input.valueAsNumber || 0) + steps * input.dataset.step * (event.shiftKey ? 0.1 : 1), { min, max } = input;
  input.value = Number(Math.min(max === "" ? Infinity : max, Math.max(min === "" ? -Infinity : min, value)).toFixed(6));
  for (const kind of ["input", "change"]) input.dispatchEvent(new Event(kind));
}

function orbit(across, up, nearer = 1) {  // turn the view about its target
  const { camera, controls } = viewer, away = camera.position.clone().sub(controls.target), at = new THREE.Spherical().setFromVector3(away);
  at.set(at.radius * nearer, Math.min(Math.PI - 0.01, Math.max(0.01, at.phi - up)), at.theta + across);
  camera.position.copy(controls.target).add(away.setFromSpherical(at));
  controls.update();
  viewer.set_dirty();
}

function nudge(axis, step) {  // move the tool along one of its axes
  const pose = panel.chosen.pose();
  if (panel.chosen.handle) panel.chosen.towards(pose.map((row, i) => i < 3 ? [...row.slice(0, 3), row[3] + step * row[axis]] : row));
}

class Keys {
  constructor(home) {
    const play = () => player.playing ? player.pause() : player.play();
    this.single = element("input", { type: "checkbox", checked: true });
    this.anywhere = { ...Object.fromEntries(Object.keys(VIEWS).map((name, i) => [i + 1, () => look(name)])), h: home, p: play, "?": () => this.dialog.showModal() };
    this.scene = {  // while the scene has the focus
      ArrowLeft: () => orbit(TURN, 0), ArrowRight: () => orbit(-TURN, 0), ArrowUp: () => orbit(0, -TURN), ArrowDown: () => orbit(0, TURN),
      "+": () => orbit(0, 0, NEARER), "-": () => orbit(0, 0, 1 / NEARER), " ": play,
      ...Object.fromEntries(["x", "y", "z"].flatMap((key, axis) => [[key, () => nudge(axis, NUDGE)], [key.toUpperCase(), () => nudge(axis, -NUDGE)]])),
    };
    const lines = [[`1 … ${Object.keys(VIEWS).length}`, `views: ${Object.keys(VIEWS).join(", ")}`], ["h", "home: all axes to 0"], ["p", "play or pause a motion"],
                   ["Ctrl+Z, Ctrl+Y", "undo or redo a move"], ["arrows", "on a slider: 1 ° or mm; with Shift 0.1; PageUp, PageDown 10"],
                   ["arrows, +, −", "in the scene: turn the view, nearer, farther"], ["x, y, z", "in the scene: the tool 10 mm along its axis; with Shift back"],
                   ["?", "this list"], ["Esc", "close it"]];
    const keys = lines.flatMap(([key, text]) => [element("dt", { textContent: key }), element("dd", { textContent: text })]);
    const close = element("button", { textContent: "close", onclick: () => this.dialog.close() });
    this.dialog = element("dialog", { id: "help", "aria-labelledby": "help-title" }, element("h2", { id: "help-title", textContent: "Keys" }),
                          element("dl", {}, ...keys), element("label", {}, this.single, " keys of one letter or digit outside the scene"), close);
    document.body.append(this.dialog);
    this.button = element("button", { id: "keys", textContent: "?", title: "keys", "aria-label": "list of keys", onclick: () => this.dialog.showModal() });
    Object.assign(viewer.renderer.domElement, { tabIndex: 0 }).setAttribute("role", "application");
    viewer.renderer.domElement.setAttribute("aria-label", "robot in 3D; arrow keys turn the view");
    addEventListener("keydown", event => this.pressed(event));
  }

  pressed(event) {
    const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event, typing = target.matches("input[type=number], input[type=text], textarea, select");
    if (this.dialog.open || event.defaultPrevented || altKey) return;
    let run = null;
    if (ctrlKey || metaKey) {  // a field that is no axis keeps its own undo
      const kind = { z: shiftKey ? "redo" : "undo", y: "redo" }[key.toLowerCase()];
      if (kind && !(typing && !target.closest(".axis, #tcp div"))) run = () => panel.undo[kind]();
    } else if (target === viewer.renderer.domElement && this.scene[key]) run = this.scene[key];
    else if (this.single.checked && !typing) run = this.anywhere[key];
    if (!run) return;
    event.preventDefault();
    run();
  }
}

// --- axes and layers ---------------------------------------------------------------------------------------------------------

class Panel {
  constructor(actors) {
    this.actors = actors;
    this.chosen = actors[0];
    this.axes = element("div", { role: "group", "aria-label": "axes" });
    this.target = new Target();
    this.notes = element("div", { id: "notes" });
    const names = element("select", { id: "actor", "aria-label": "robot that the sliders move", onchange: () => this.choose(actors[names.selectedIndex]) },
                          ...actors.map(actor => element("option", { textContent: actor.name })));
    const layers = element("div", { id: "layers", role: "group", "aria-label": "layers" }, ...Object.entries(LAYERS).filter(([name]) => this.offered(name)).map(([name, text]) => {
      const box = element("input", { type: "checkbox", id: `layer-${name}`, checked: page.layers.includes(name),
                                     onchange: () => this.layer(name, box.checked) });
      return element("label", {}, box, ` ${text}`);
    }));
    const views = element("div", { id: "views", role: "group", "aria-label": "views" }, ...Object.keys(VIEWS).map(name => element("button", { textContent: name, onclick: () => look(name) })),
                          element("button", { textContent: "home", title: "all axes to 0", onclick: () => this.home() }));
    const still = !actors.some(actor => actor.motion);
    this.answers = new AnswerPanel(still);
    this.section = new Section(false);
    this.bodies = new Bodies();
    this.undo = new Undo();
    this.keys = new Keys(() => this.home());
    const sharing = element("button", { id: "link", textContent: "link", title: "copy a link that carries the posture", hidden: location.protocol === "about:", onclick: () => share(sharing) });
    const header = element("header", {}, element("h1", {}, actors.length > 1 ? names : actors[0].name), ...this.undo.buttons, sharing, this.keys.button);
    document.getElementById("panel").append(header, views, this.axes, this.notes, document.getElementById("refusal"), this.target.node, this.answers.node, this.section.node, this.bodies.node, layers);
    this.choose(this.chosen);
    (still && !document.body.classList.contains("bare") ? ["handle", ...page.layers] : page.layers).forEach(name => this.layer(name, true));
  }

  offered(name) {
    const needs = { handle: actor => actor.dragged(), hulls: actor => actor.hulls.length, range: actor => actor.inPlane, singular: actor => actor.inPlane && actor.inPlane.near, torques: actor => actor.motion && actor.motion.tau, com: actor => actor.bodies.length };
    return this.actors.some(needs[name] || needs[{ ellipsoids: "com", boxes: "com" }[name]] || (() => true));
  }

  choose(actor) {
    this.chosen = actor;
    this.rows = actor.axes.map((axis, i) => {
      const named = { "aria-label": `axis ${axis.label} [${axis.unit}]`, "data-step": axis.step, onkeydown: stepped };
      const slider = element("input", { type: "range", min: axis.low, max: axis.high, step: "any", id: `slider-${i}`, title: axis.range, ...named });
      const field = element("input", { type: "number", step: axis.step, id: `field-${i}`, ...named });
      for (const input of [slider, field]) {
        input.addEventListener("pointerdown", () => this.take(actor));
        input.addEventListener("input", () => {
          const q = actor.q.slice();
          if (!Number.isFinite(input.valueAsNumber)) return;
          q[i] = input.valueAsNumber / axis.scale;
          this.move(q, input);
        });
      }
      return { slider, field, row: element("div", { className: "axis", title: `${axis.label}: ${axis.range}` }, element("b", { textContent: axis.label }), slider, field,
                                           element("span", { textContent: axis.unit })) };
    });
    this.axes.replaceChildren(...this.rows.map(row => row.row));
    for (const part of [this.target, this.answers, this.section, this.bodies]) part.choose(actor);
    refuse("");
    this.refresh();
  }

  take(actor) {  // out of the player's hands: who moves a robot, or a program that does, is not overruled by its motion
    if (actor.motion) player.pause();
  }

  home() { this.move(this.chosen.q.map(() => 0)); }

  move(q, source = null, actor = this.chosen) {  // by hand or by a program; set is the player's
    this.undo.note(actor, q);
    this.put(q, source, actor);
  }

  put(q, source = null, actor = this.chosen) {
    this.take(actor);
    refuse("");
    actor.pushed(null);  // the torque of the motion is none of this posture
    this.set(q, source, actor);
  }

  set(q, source = null, actor = this.chosen) {
    actor.show(q);
    actor.trace();
    if (actor === this.chosen) this.refresh(source);
    viewer.set_dirty();
  }

  refresh(source = null) {
    const { axes, q } = this.chosen, broken = this.chosen.violations();
    this.rows.forEach(({ slider, field, row }, i) => {
      const shown = q[i] * axes[i].scale;
      if (slider !== source) slider.value = shown;
      if (field !== source) field.value = number(shown, 2);
      const out = broken.some(limit => limit.axis === i);
      row.classList.toggle("out", out);
      field.setAttribute("aria-invalid", out);
      slider.setAttribute("aria-valuetext", `${number(shown)} ${axes[i].unit}${out ? ", out of range" : ""}`);
    });
    const kinds = broken.map(limit => limit.text).join(", ");
    if (kinds !== (this.kinds || "")) say(kinds ? `out of range: ${kinds}` : "within the ranges");
    this.kinds = kinds;
    this.notes.replaceChildren(...broken.map(limit => element("div", { textContent: this.chosen.inRange(limit, q, " =") })));
    for (const part of [this.target, this.answers, this.section, this.bodies]) part.refresh();
  }

  layer(name, on) {
    const box = document.getElementById(`layer-${name}`);
    if (box) box.checked = on;
    const through = THROUGH.some(other => (document.getElementById(`layer-${other}`) || {}).checked);
    for (const actor of this.actors) {
      actor.layer(name, on);
      actor.seeThrough(through);
      actor.pushed(actor.tau);
    }
    viewer.set_dirty();
  }
}

// --- camera ----------------------------------------------------------------------------------------------------------------------

const VIEWS = { "3D": null, front: [1, 0, 0.05], side: [0, -1, 0.05], top: [-0.001, 0, 1] };

const FILLED = 0.94;                    // of the scene, by what is seen in a view
let seen = null;                        // of the view that was chosen last: its camera, and points that are to be in sight

function look(name) {
  const { position, target, fov } = page.camera, three = ([x, y, z]) => [x, z, -y];
  const away = VIEWS[name] && VIEWS[name].map(x => x * Math.hypot(...position.map((p, i) => p - target[i])));
  viewer.camera.fov = fov;
  viewer.camera.position.set(...three(away ? away.map((x, i) => target[i] + x) : position));
  viewer.controls.target.set(...three(target));
  viewer.controls.update();
  seen = { camera: viewer.camera.clone(), points: irb.actors.flatMap(actor => actor.points()) };
  viewer.set_3d_pane_size();
  viewer.set_dirty();
}

function frameFor(width, height) {  // a narrow scene shows the robots from edge to edge, a wide one what page.camera shows
  const { camera } = viewer;
  camera.zoom = 1;
  camera.clearViewOffset();
  if (!seen) return;
  Object.assign(seen.camera, { aspect: width / height, zoom: 1, view: null }).updateProjectionMatrix();
  seen.camera.updateMatrixWorld(true);
  const places = seen.points.map(point => point.clone().project(seen.camera)), ends = axis => places.reduce(([low, high], { [axis]: x }) => [Math.min(low, x), Math.max(high, x)], [0, 0]);
  const [[left, right], [bottom, top]] = [ends("x"), ends("y")], zoom = 2 * FILLED / Math.max(right - left, top - bottom, 2 * FILLED);
  if (Math.max(right, -left, top, -bottom) <= 1) return;
  camera.zoom = zoom;
  camera.setViewOffset(width, height, zoom * (left + right) / 4 * width, -zoom * (bottom + top) / 4 * height, width, height);
}

// --- start -----------------------------------------------------------------------------------------------------------------------

let panel, player;
function refuse(text) {  // why the robot stays where it is, until something moves it
  document.getElementById("refusal").textContent = text;
  if (text) say(text);
}
const robot = number => {
  if (!irb.actors[number]) throw new Error(`no robot number ${number} on this page; it has ${irb.actors.length}, counted from 0`);
  return irb.actors[number];
};
const among = (name, known) => { if (!Object.hasOwn(known, name)) throw new Error(`no ${name}; known are ${Object.keys(known).join(", ")}`); };
const moving = () => { if (!player || !player.actors.length) throw new Error("no motion on this page"); };
const command = work => (...inputs) => {  // what makes no sense changes nothing, and says so in the page and once in the console
  let refusal = "";
  try { work(...inputs); } catch (problem) { refusal = problem.message; console.error(refusal); }
  refuse(refusal);
};
const posture = (shown, number = 0) => {  // rad and m from deg and mm
  const actor = robot(number), values = Array.from(shown ?? []), units = actor.axes.map(axis => axis.unit).join(" ");
  if (values.length !== actor.axes.length || !values.every(Number.isFinite)) {
    throw new Error(`a posture of ${actor.name} is ${actor.axes.length} finite numbers (${units}), not [${values.join(", ").slice(0, 80)}]`);
  }
  return values.map((x, i) => x / actor.axes[i].scale);
};
const irb = {
  viewer, page, actors: [],
  set: command((shown, number = 0) => {  // deg, mm
    const q = posture(shown, number);
    panel.undo.begin();
    panel.move(q, null, robot(number));
  }),
  pose: (link = "tcp", number = 0) => robot(number).pose(link),
  violations: (number = 0) => robot(number).violations().map(limit => limit.text),
  layer: command((name, on = true) => { among(name, LAYERS); panel.layer(name, on); }),
  look: command(name => { among(name, VIEWS); look(name); }),
  play: command(() => { moving(); player.play(); }),
  pause: command(() => { moving(); player.pause(); }),
  seek: command(t => {
    moving();
    if (!Number.isFinite(t)) throw new Error(`a time is a number of seconds, not ${t}`);
    player.seek(t);
  }),
};
irb.ready = (async () => {
  const data = await unzipped(page.commands);
  for (let at = 0; at < data.byteLength;) {
    const size = data.getUint32(at, true);
    viewer.handle_command_bytearray(new Uint8Array(data.buffer, at + 4, size));
    at += 4 + size;
  }
  irb.actors = page.actors.map(actor => new Actor(actor));
  irb.actors.forEach(actor => { actor.layer("hulls", false); actor.seeThrough(false); });
  if (irb.actors.length) {  // an empty scene is one too
    panel = new Panel(irb.actors);
    player = new Player(irb.actors, panel);
    new Scheme();
    command(follow)();
    addEventListener("hashchange", () => { panel.undo.begin(); command(follow)(); });
  }
  look("3D");
  if (page.events) {
    const events = new EventSource(page.events);
    const note = text => { document.getElementById("notes-of-page").textContent = text; };
    events.onopen = () => note("");
    events.onerror = () => note("no longer connected: the program that showed this page has ended or closed it");
    events.onmessage = ({ data: text }) => {
      const { actor, q, command } = JSON.parse(text);
      if (command) viewer.handle_command_bytearray(bytes(command));
      else {
        panel.undo.begin("program");
        panel.move(q, null, irb.actors[actor]);
      }
    };
  }
  delete viewer.render;
  viewer.render();
  document.body.classList.add("ready");
})();
irb.ready.catch(problem => { document.getElementById("notes-of-page").textContent = `This browser cannot show the page: ${problem}`; });

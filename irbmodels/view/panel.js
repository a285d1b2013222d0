"use strict";
// The page's own part: axes in the controller's degrees, layers, the player with its charts. The 3D scene is meshcat's.
// What it draws comes as `page` (see page.py); what others may call is `irb`, at the end.

const { THREE } = MeshCat;
const DOTS = 4000;                      // dots of a TCP trace
const COLOURS = ["#d62728", "#ff7f0e", "#2ca02c", "#1f77b4", "#9467bd", "#8c564b", "#e377c2", "#17becf"];
const LAYERS = { frames: "frames", axes: "joint axes", com: "centres of mass", ellipsoids: "inertia ellipsoids",
                 boxes: "inertia boxes", trace: "TCP trace", hulls: "collision hulls", torques: "torque arrows" };
const THROUGH = ["frames", "axes", "com", "ellipsoids", "boxes", "torques"];  // layers that need a transparent robot

const viewer = new MeshCat.Viewer(document.getElementById("scene"));
viewer.gui.domElement.style.display = "none";
const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) name in made ? made[name] = value : made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const node = path => viewer.scene_tree.find(path).object;
const dot = (row, q) => row.reduce((sum, value, i) => sum + value * q[i], 0);
const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
const doubles = text => text === null ? null : new Float64Array(bytes(text).buffer);
const number = (value, digits = 1) => (Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value).toFixed(digits);

async function unzipped(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new DataView(await new Response(stream).arrayBuffer());
}

// --- a robot -----------------------------------------------------------------------------------------------------------

class Actor {
  constructor(data) {
    Object.assign(this, data);
    Object.values(this.links).forEach(node);  // those without shapes are made now
    this.base = node(data.root);
    this.joints.forEach(joint => { joint.node = node(joint.path); joint.along = new THREE.Vector3(...joint.axis); });
    this.layers = { hulls: this.hulls.map(path => node(path)) };
    if (this.motion) {
      for (const name of ["t", "q", "v", "tau", "measured"]) this.motion[name] = doubles(this.motion[name]);
    }
    this.show(data.q);
  }

  show(q) {  // q in rad and m
    this.q = Array.from(q);
    for (const joint of this.joints) {
      const value = joint.offset + dot(joint.row, this.q);
      joint.slides ? joint.node.position.copy(joint.along).multiplyScalar(value) : joint.node.quaternion.setFromAxisAngle(joint.along, value);
    }
    viewer.scene.updateMatrixWorld(true);
  }

  pose(link = "tcp") {  // rows of the homogeneous matrix of a link in the base
    const frame = link === "tcp" ? this.tcp : { path: this.links[link], matrix: null };
    if (!frame.path) throw new Error(`no link ${link}`);
    const pose = this.base.matrixWorld.clone().invert().multiply(node(frame.path).matrixWorld);
    if (frame.matrix) pose.multiply(new THREE.Matrix4().set(...frame.matrix.flat()));
    const e = pose.elements;
    return [0, 1, 2, 3].map(row => [e[row], e[row + 4], e[row + 8], e[row + 12]]);
  }

  violations() {  // the ranges that are not kept
    return this.limits.filter(limit => { const value = dot(limit.row, this.q); return value < limit.low || value > limit.high; });
  }

  at(t) {  // q and torque at a time of the motion, between samples on a straight line
    const { t: time, q, tau } = this.motion, n = this.axes.length, last = time.length - 1;
    let low = 0, high = last;
    while (high - low > 1) { const middle = (low + high) >> 1; time[middle] <= t ? low = middle : high = middle; }
    const share = last ? Math.min(1, Math.max(0, (t - time[low]) / (time[high] - time[low]))) : 0;
    const mixed = rows => Array.from({ length: n }, (_, i) => rows[low * n + i] * (1 - share) + rows[high * n + i] * share);
    return { q: mixed(q), tau: tau && mixed(tau) };
  }

  layer(name, on) {
    if (on && !this.layers[name]) this.layers[name] = BUILD[name](this);
    (this.layers[name] || []).forEach(object => { object.visible = on; });
  }

  seeThrough(on) {
    for (const path of this.visuals) node(path).traverse(part => {
      if (!part.material) return;
      part.userData.opacity ??= part.material.opacity;  // its own, of the URDF
      part.material.opacity = part.userData.opacity * this.opacity * (on ? 0.3 : 1);
      part.material.transparent = part.material.opacity < 1;
      part.material.depthWrite = !on;
    });
  }

  trace() {  // a dot wherever the TCP has been, 4 mm apart
    if (!this.layers.trace || !this.layers.trace[0].visible) return;
    const [dots] = this.layers.trace, place = this.pose().slice(0, 3).map(row => row[3]);
    if (this.last && Math.hypot(...place.map((x, i) => x - this.last[i])) < 0.004) return;
    this.last = place;
    dots.setMatrixAt(dots.next++ % DOTS, new THREE.Matrix4().setPosition(...place));
    dots.count = Math.min(dots.next, DOTS);
    dots.instanceMatrix.needsUpdate = true;
  }

  pushed(tau) {  // torque arrows
    (this.layers.torques || []).forEach((arrow, i) => {
      const share = tau ? Math.max(-1, Math.min(1, tau[i] / this.axes[i].full)) : 0;
      arrow.children.forEach(part => part.material.color.set(share < 0 ? 0xd62728 : 0x1f77b4));
      arrow.scale.set(1, 1, Math.abs(share) < 1e-3 ? 1e-3 : share);
    });
  }
}

// --- layers: what can be shown besides the robot --------------------------------------------------------------------------

const glossy = (colour, opacity = 1) => new THREE.MeshPhongMaterial({ color: colour, transparent: opacity < 1, opacity });
const onTop = (group) => {  // seen through the robot
  group.traverse(part => { if (part.isMesh) { part.material.depthTest = false; part.material.transparent = true; part.renderOrder = 5; } });
  return group;
};
const added = (parent, object) => { parent.add(object); return object; };

function stick(length, radius, colour, head = 0) {  // along z from the origin, with an arrow head
  const rod = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length - head, 12), glossy(colour));
  rod.rotation.x = Math.PI / 2;
  rod.position.z = (length - head) / 2;
  const group = new THREE.Group();
  group.add(rod);
  if (head) {
    const tip = new THREE.Mesh(new THREE.ConeGeometry(2.6 * radius, head, 16), glossy(colour));
    tip.rotation.x = Math.PI / 2;
    tip.position.z = length - head / 2;
    group.add(tip);
  }
  return group;
}

function triad(size) {
  const group = new THREE.Group(), turns = [[0, Math.PI / 2, 0], [-Math.PI / 2, 0, 0], [0, 0, 0]];
  [0xd62728, 0x2ca02c, 0x1f4fd6].forEach((colour, i) => added(group, stick(size, 0.028 * size, colour, 0.22 * size)).rotation.set(...turns[i]));
  return group;
}

function label(text, size) {
  const canvas = element("canvas", { width: 256, height: 64 }), pen = canvas.getContext("2d");
  pen.font = "bold 44px sans-serif";
  pen.textAlign = "center";
  pen.lineWidth = 8;
  pen.strokeStyle = "white";
  pen.strokeText(text, 128, 48);
  pen.fillStyle = "#222";
  pen.fillText(text, 128, 48);
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: new THREE.CanvasTexture(canvas), depthTest: false }));
  sprite.scale.set(4 * size, size, 1);
  sprite.renderOrder = 10;
  return sprite;
}

const body = (actor, shape, colour, opacity, size) => actor.bodies.map(item => {
  const mesh = new THREE.Mesh(shape, glossy(colour, opacity));
  mesh.position.set(...item.com);
  mesh.quaternion.set(...item.turn);
  mesh.scale.set(...size(item));
  return added(node(item.path), mesh);
});

const BUILD = {
  frames: actor => actor.frames.map(frame => {
    const group = onTop(triad(0.11 * actor.size));
    if (frame.matrix) new THREE.Matrix4().set(...frame.matrix.flat()).decompose(group.position, group.quaternion, group.scale);
    added(group, label(frame.name, 0.042 * actor.size)).position.set(0, 0, 0.135 * actor.size);
    return added(node(frame.path), group);
  }),
  axes: actor => actor.axes.map(axis => {
    const group = new THREE.Group(), joint = actor.joints[axis.joint];
    added(group, onTop(stick(0.4 * actor.size, 0.004 * actor.size, 0x111111, 0.04 * actor.size))).position.z = -0.2 * actor.size;
    group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), joint.along);
    added(group, label(axis.label, 0.05 * actor.size)).position.z = 0.225 * actor.size;
    return added(joint.node, group);
  }),
  com: actor => body(actor, new THREE.SphereGeometry(1, 24, 16), 0xc2185b, 1, item => [item.ball, item.ball, item.ball]),
  ellipsoids: actor => body(actor, new THREE.SphereGeometry(1, 32, 24), 0x1f77b4, 0.5, item => item.ellipsoid),
  boxes: actor => body(actor, new THREE.BoxGeometry(1, 1, 1), 0x9467bd, 0.5, item => item.box),
  trace: actor => {
    const dots = new THREE.InstancedMesh(new THREE.SphereGeometry(0.0035 * Math.max(actor.size, 0.5), 8, 6), glossy(0x0b5fff), DOTS);
    dots.frustumCulled = false;
    dots.count = dots.next = 0;
    actor.layers.trace = [added(actor.base, dots)];
    if (actor.motion) {
      const q = actor.q, { t } = actor.motion;
      for (let k = 0; k <= 3000; k++) { actor.show(actor.at(t[0] + (t[t.length - 1] - t[0]) * k / 3000).q); actor.trace(); }
      actor.show(q);
    }
    return [dots];
  },
  torques: actor => !(actor.motion && actor.motion.tau) ? [] : actor.axes.map(axis => {
    const joint = actor.joints[axis.joint], arrow = stick(0.45 * actor.size, 0.011 * actor.size, 0x1f77b4, 0.09 * actor.size);
    const place = added(joint.node.parent, new THREE.Group());
    place.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), joint.along);
    return added(place, arrow);
  }),
};

// --- axes and layers ---------------------------------------------------------------------------------------------------------

class Panel {
  constructor(actors) {
    this.actors = actors;
    this.chosen = actors[0];
    this.axes = element("div");
    this.readout = element("pre", { id: "tcp" });
    this.notes = element("div", { id: "notes" });
    const names = element("select", { id: "actor", onchange: () => this.choose(actors[names.selectedIndex]) },
                          ...actors.map(actor => element("option", { textContent: actor.name })));
    const layers = element("div", { id: "layers" }, ...Object.entries(LAYERS).filter(([name]) => this.offered(name)).map(([name, text]) => {
      const box = element("input", { type: "checkbox", id: `layer-${name}`, checked: page.layers.includes(name),
                                     onchange: () => this.layer(name, box.checked) });
      return element("label", {}, box, ` ${text}`);
    }));
    const views = element("div", { id: "views" }, ...Object.keys(VIEWS).map(name => element("button", { textContent: name, onclick: () => look(name) })),
                          element("button", { textContent: "home", title: "all axes to 0", onclick: () => this.set(this.chosen.q.map(() => 0)) }));
    document.getElementById("panel").append(actors.length > 1 ? names : element("h1", { textContent: actors[0].name }),
                                            this.axes, this.notes, this.readout, views, layers);
    this.choose(this.chosen);
    page.layers.forEach(name => this.layer(name, true));
  }

  offered(name) {
    const needs = { hulls: actor => actor.hulls.length, torques: actor => actor.motion && actor.motion.tau, com: actor => actor.bodies.length };
    return this.actors.some(needs[name] || needs[{ ellipsoids: "com", boxes: "com" }[name]] || (() => true));
  }

  choose(actor) {
    this.chosen = actor;
    this.rows = actor.axes.map((axis, i) => {
      const slider = element("input", { type: "range", min: axis.low, max: axis.high, step: "any", id: `slider-${i}`, title: axis.range });
      const field = element("input", { type: "number", step: axis.step, id: `field-${i}` });
      for (const input of [slider, field]) input.addEventListener("input", () => {
        const q = actor.q.slice();
        if (!Number.isFinite(input.valueAsNumber)) return;
        q[i] = input.valueAsNumber / axis.scale;
        this.set(q, input);
      });
      return { slider, field, row: element("div", { className: "axis", title: `${axis.label}: ${axis.range}` }, element("b", { textContent: axis.label }), slider, field,
                                           element("span", { textContent: axis.unit })) };
    });
    this.axes.replaceChildren(...this.rows.map(row => row.row));
    this.refresh();
  }

  set(q, source = null, actor = this.chosen) {
    actor.show(q);
    actor.trace();
    if (actor === this.chosen) this.refresh(source);
    viewer.set_dirty();
  }

  refresh(source = null) {
    const { axes, q } = this.chosen, broken = this.chosen.violations(), pose = this.chosen.pose();
    this.rows.forEach(({ slider, field, row }, i) => {
      const shown = q[i] * axes[i].scale;
      if (slider !== source) slider.value = shown;
      if (field !== source) field.value = number(shown, 2);
      row.classList.toggle("out", broken.some(limit => limit.axis === i));
    });
    this.notes.replaceChildren(...broken.map(limit => {
      const { scale, unit } = axes[limit.axis];
      return element("div", { textContent: `${limit.text} = ${number(dot(limit.row, q) * scale)} ${unit}, range ${number(limit.low * scale)} … ${number(limit.high * scale)}` });
    }));
    const turn = new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().set(...pose.flat()));
    const sign = turn.w < 0 ? -1 : 1;
    this.readout.textContent = `TCP [mm]  ${pose.slice(0, 3).map(row => number(1000 * row[3])).join("  ")}\nq1..q4    ` +
      [turn.w, turn.x, turn.y, turn.z].map(value => number(sign * value, 4)).join("  ");
  }

  layer(name, on) {
    const box = document.getElementById(`layer-${name}`);
    if (box) box.checked = on;
    const through = THROUGH.some(other => (document.getElementById(`layer-${other}`) || {}).checked);
    for (const actor of this.actors) {
      actor.layer(name, on);
      actor.seeThrough(through);
      if (name === "torques" && actor.motion) actor.pushed(actor.at(player.t).tau);
    }
    viewer.set_dirty();
  }
}

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

// --- camera ----------------------------------------------------------------------------------------------------------------------

const VIEWS = { "3D": null, front: [1, 0, 0.05], side: [0, -1, 0.05], top: [-0.001, 0, 1] };

function look(name) {
  const { position, target, fov } = page.camera, three = ([x, y, z]) => [x, z, -y];
  const away = VIEWS[name] && VIEWS[name].map(x => x * Math.hypot(...position.map((p, i) => p - target[i])));
  viewer.camera.fov = fov;
  viewer.camera.position.set(...three(away ? away.map((x, i) => target[i] + x) : position));
  viewer.controls.target.set(...three(target));
  viewer.controls.update();
  viewer.set_dirty();
}

// --- start -----------------------------------------------------------------------------------------------------------------------

let panel, player;
const irb = {
  viewer, page, actors: [],
  set: (shown, actor = 0) => {
    if (shown.length !== irb.actors[actor].axes.length) throw new Error(`${irb.actors[actor].name} has ${irb.actors[actor].axes.length} axes`);
    panel.set(shown.map((x, i) => x / irb.actors[actor].axes[i].scale), null, irb.actors[actor]);  // deg, mm
  },
  pose: (link = "tcp", actor = 0) => irb.actors[actor].pose(link),
  violations: (actor = 0) => irb.actors[actor].violations().map(limit => limit.text),
  layer: (name, on = true) => panel.layer(name, on),
  look, play: () => player.play(), pause: () => player.pause(), seek: t => player.seek(t),
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
    player = { t: 0 };
    panel = new Panel(irb.actors);
    player = new Player(irb.actors, panel);
  }
  look("3D");
  if (page.events) {
    const events = new EventSource(page.events);
    events.onerror = () => { if (events.readyState === EventSource.CLOSED) document.getElementById("notes-of-page").textContent = "no longer connected"; };
    events.onmessage = ({ data: text }) => {
      const { actor, q, command } = JSON.parse(text);
      command ? viewer.handle_command_bytearray(bytes(command)) : panel.set(q, null, irb.actors[actor]);
    };
  }
  viewer.set_3d_pane_size();
  viewer.render();
  document.body.classList.add("ready");
})();
irb.ready.catch(problem => { document.getElementById("notes-of-page").textContent = `This browser cannot show the page: ${problem}`; });

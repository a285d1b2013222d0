// --- helpers -------------------------------------------------------------------------------------------------------------

const { THREE } = MeshCat;
const DOTS = 4000, APART = 0.004;       // dots of a TCP trace, and how far apart they are [m] unless that needs more of them
const JUMP = 0.1;                       // of a robot's size: more than this at once is no motion of a hand or a loop
// of curves: each with a contrast of 3 at least on the cards of page.html, light and dark
const COLOURS = ["#d62728", "#d96a00", "#2a9d2a", "#2f80c3", "#9467bd", "#a0695c", "#c8569f", "#0e95a3"];
const LAYERS = { handle: "tool handle", frames: "frames", axes: "joint axes", com: "centres of mass", ellipsoids: "inertia ellipsoids",
                 boxes: "inertia boxes", trace: "TCP trace", hulls: "collision hulls", torques: "torque arrows",
                 range: "working range", singular: "singular zones" };
const THROUGH = ["frames", "axes", "com", "ellipsoids", "boxes", "torques"];  // layers that need a transparent robot

const viewer = new MeshCat.Viewer(document.getElementById("scene"));
viewer.gui.domElement.style.display = "none";
viewer.render = () => {};  // until the scene is there: shaders of an empty one would be compiled for nothing
const fill = viewer.set_3d_pane_size.bind(viewer);
viewer.set_3d_pane_size = () => {  // meshcat's takes the window's height
  const { offsetWidth: width, offsetHeight: height } = viewer.dom_element;
  frameFor(width, height);
  fill(width, height);
};
const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) name in made ? made[name] = value : made.setAttribute(name, value);
  if (tag === "output") made.setAttribute("aria-live", "off");  // not read aloud with every step of a slider
  made.append(...children);
  return made;
};
const node = path => viewer.scene_tree.find(path).object;
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
    this.answers = new Answers(data.answers);
    this.joints.forEach(joint => { joint.node = node(joint.path); joint.along = new THREE.Vector3(...joint.axis); });
    this.balancers.forEach(one => {
      for (const part of ["cylinder", "rod"]) one[part] = node(one[part]);
      for (const point of ["normal", "centre", "before", "after"]) one[point] = new THREE.Vector3(...one[point]);
    });
    this.layers = { hulls: this.hulls.map(path => node(path)) };
    if (this.motion) {
      for (const name of ["t", "q", "v", "a", "tau", "half", "measured"]) this.motion[name] = doubles(this.motion[name]);
    }
    this.inPlane = this.plane && this.answers.arm ? new Plane(this) : null;
    this.show(data.q);
  }

  show(q) {  // q in rad and m
    this.q = Array.from(q);
    for (const joint of this.joints) {
      const value = joint.offset + dot(joint.row, this.q);
      joint.slides ? joint.node.position.copy(joint.along).multiplyScalar(value) : joint.node.quaternion.setFromAxisAngle(joint.along, value);
    }
    for (const { axis, cylinder, rod, normal, centre, before, after } of this.balancers) {  // on the line of the pivots
      const turned = after.clone().sub(centre).applyAxisAngle(normal, this.q[axis]).add(centre);
      const home = after.clone().sub(before), line = turned.clone().sub(before);
      const swing = Math.atan2(normal.dot(home.clone().cross(line)), home.dot(line));
      for (const [part, from, to] of [[cylinder, before, before], [rod, after, turned]]) {
        part.quaternion.setFromAxisAngle(normal, swing);
        part.position.copy(to).sub(from.clone().applyQuaternion(part.quaternion));
      }
    }
    viewer.scene.updateMatrixWorld(true);
    if (this.handle) this.handle.follow();
    if (this.inPlane) this.inPlane.follow();
  }

  pose(link = "tcp") {  // rows of the homogeneous matrix of a link in the base
    const frame = link === "tcp" ? this.tcp : { path: this.links[link], matrix: null };
    if (!frame.path) throw new Error(`no link ${link}`);
    const pose = this.base.matrixWorld.clone().invert().multiply(node(frame.path).matrixWorld);
    if (frame.matrix) pose.multiply(new THREE.Matrix4().set(...frame.matrix.flat()));
    const e = pose.elements;
    return [0, 1, 2, 3].map(row => [e[row], e[row + 4], e[row + 8], e[row + 12]]);
  }

  violations(q = this.q) {  // the ranges that are not kept
    return this.limits.filter(limit => { const value = dot(limit.row, q); return value < limit.low || value > limit.high; });
  }

  points(stride = 100) {  // about that many of each visible part in the world, where the robot stands, or at 21 times of its motion
    const { q, motion } = this, count = motion ? motion.t.length - 1 : 0, points = [];
    const postures = motion ? Array.from({ length: 21 }, (_, k) => this.at(motion.t[Math.round(k * count / 20)])(motion.q)) : [q];
    for (const posture of postures) {
      this.show(posture);
      for (const path of this.visuals) node(path).traverse(({ geometry, matrixWorld }) => {
        const at = geometry && geometry.attributes.position;
        for (let k = 0; at && k < at.count; k += Math.ceil(at.count / stride)) points.push(new THREE.Vector3().fromBufferAttribute(at, k).applyMatrix4(matrixWorld));
      });
    }
    this.show(q);
    if (this.handle && this.handle.group.visible) {
      const { min, max } = new THREE.Box3().setFromObject(this.handle.group);
      for (let k = 0; k < 8; k++) points.push(new THREE.Vector3(...["x", "y", "z"].map((axis, i) => (k >> i & 1 ? max : min)[axis])));
    }
    return points;
  }

  at(t) {  // what reads rows of the motion at a time, between samples on a straight line, beyond its ends as there
    const { t: time } = this.motion, n = this.axes.length, last = time.length - 1;
    let low = 0, high = last;
    while (high - low > 1) { const middle = (low + high) >> 1; time[middle] <= t ? low = middle : high = middle; }
    const share = last ? Math.min(1, Math.max(0, (t - time[low]) / (time[high] - time[low]))) : 0;
    const part = (k, weight) => weight && weight * k;  // a gap (NaN) beside a sample is not the sample's
    return rows => rows && Array.from({ length: n }, (_, i) => part(rows[low * n + i], 1 - share) + part(rows[high * n + i], share));
  }

  layer(name, on) {
    if (on && !this.layers[name]) this.layers[name] = BUILD[name](this);
    if (on && name === "trace") this.last = this.position();  // nothing is traced from where it was hidden
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

  dragged() { return Boolean(this.answers.solve) || this.axes.length > 5; }  // whether its TCP can be: by a closed form, or with all directions

  onBranch(pose) {  // posture of the closed form, or by how much the pose is out of reach
    const { answers, q, limits } = this, [own] = answers.postures(this.pose(), q, limits).postures, { missing, postures } = answers.postures(pose, q, limits);
    return { found: (postures.find(other => own && other.slot === own.slot) || postures[0] || {}).q, short: beyond(missing) };
  }

  configured(pose, wanted) {  // posture with configuration data: one within its ranges, if there is one
    const { answers, q, limits } = this, { missing, postures } = answers.postures(pose, answers.seeded(q, wanted), limits);
    const turned = postures.map(one => answers.turned(one.q, wanted)), having = turned.filter(one => answers.matches(one, wanted));
    const others = [...new Set(postures.map(one => `[${answers.configuration(one.q)}]`))].join(" ");
    return { found: having.find(one => !this.violations(one).length) || having[0], short: postures.length ? `no posture of this pose has the configuration [${wanted}]; it has ${others}` : beyond(missing) };
  }

  nearby(pose, wanted) {  // posture next to the present one, or what is left to the pose
    const { answers, q } = this, { q: found, off } = answers.nearby(pose, q);
    if (Math.hypot(...off) > 1e-6) return { short: `not reached from here: ${number(1000 * Math.hypot(...off.slice(0, 3)))} mm and ${number(Math.hypot(...off.slice(3)) * 180 / Math.PI)}° are left` };
    return wanted && !answers.matches(found, wanted) ? { short: `reached from here with the configuration [${answers.configuration(found)}], not [${wanted}]` } : { found };
  }

  towards(pose, configuration = null) {  // move to a pose of the TCP in the base, on the branch of the posture or with configuration data; say why not
    const wanted = this.answers.arm && configuration;
    const { found, short } = !this.answers.solve ? this.nearby(pose, wanted) : wanted ? this.configured(pose, wanted) : this.onBranch(pose), [limit] = found ? this.violations(found) : [];
    if (found && !limit) panel.move(found, null, this);
    else refuse(found ? this.inRange(limit, found, " would be") : short);
    return Boolean(found && !limit);
  }

  inRange({ text, row, axis, low, high }, q, verb) {  // value and bounds of a range
    const { scale, unit } = this.axes[axis], shown = value => number(value * scale);
    return `${text}${verb} ${shown(dot(row, q))} ${unit}, range ${shown(low)} … ${shown(high)}`;
  }

  position() { return this.pose().slice(0, 3).map(row => row[3]); }

  trace() {  // of a robot without a motion: where its TCP is moved; a jump leaves no dot
    if (!this.motion && this.layers.trace && this.layers.trace[0].visible) this.dotted(this.position(), APART, JUMP * this.size);
  }

  dotted(position, apart, jump = Infinity) {  // dots from the last one towards a position
    const [dots] = this.layers.trace, from = this.last, way = from.map((x, i) => position[i] - x), length = Math.hypot(...way);
    if (length > jump) this.last = position;
    else for (let k = 1; k * apart <= length; k++) {
      this.last = from.map((x, i) => x + way[i] * k * apart / length);
      dots.setMatrixAt(dots.next++ % DOTS, new THREE.Matrix4().setPosition(...this.last));
    }
    dots.count = Math.min(dots.next, DOTS);
    dots.instanceMatrix.needsUpdate = true;
  }

  pushed(tau) {  // torque arrows
    this.tau = tau;
    (this.layers.torques || []).forEach((arrow, i) => {
      const share = tau && Number.isFinite(tau[i]) ? Math.max(-1, Math.min(1, tau[i] / this.axes[i].full)) : 0;
      arrow.children.forEach(part => part.material.color.set(share < 0 ? 0xd62728 : 0x1f77b4));
      arrow.scale.set(1, 1, Math.abs(share) < 1e-3 ? 1e-3 : share);
    });
  }
}

const beyond = missing => Number.isFinite(missing) ? `out of reach by ${number(1000 * missing)} mm` : "no posture has this orientation";

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
  handle: actor => actor.dragged() ? [(actor.handle = new Handle(actor)).group] : [],
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
    actor.last = actor.position();
    if (actor.motion) {
      const q = actor.q, { t, q: rows } = actor.motion, duration = t[t.length - 1] - t[0];
      const path = Array.from({ length: 3001 }, (_, k) => { actor.show(actor.at(t[0] + duration * k / 3000)(rows)); return actor.position(); });
      const length = path.slice(1).reduce((sum, place, k) => sum + Math.hypot(...place.map((x, i) => x - path[k][i])), 0);
      actor.last = path[0];
      path.forEach(place => actor.dotted(place, Math.max(APART, length / DOTS)));
      actor.show(q);
    }
    return [dots];
  },
  range: actor => actor.inPlane ? actor.inPlane.range() : [],
  singular: actor => actor.inPlane ? actor.inPlane.singular() : [],
  torques: actor => !(actor.motion && actor.motion.tau) ? [] : actor.axes.map(axis => {
    const joint = actor.joints[axis.joint], arrow = stick(0.45 * actor.size, 0.011 * actor.size, 0x1f77b4, 0.09 * actor.size);
    const place = added(joint.node.parent, new THREE.Group());
    place.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), joint.along);
    return added(place, arrow);
  }),
};

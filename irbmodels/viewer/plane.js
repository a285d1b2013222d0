// --- the arm's plane: outlines of the working range and zones near singularities, in space and as a section ----------------------

const CELL = Math.PI / 360;             // of the grid on which singular zones are found
const EDGE = 0x0072b2, ZONE = 0xc40000;

class Plane {
  constructor(actor) {
    Object.assign(this, actor.plane);
    this.actor = actor;
    this.group = new THREE.Group();  // its x and y are those of the plane
    actor.base.add(this.group);
    this.follow();
  }

  nodes(x) {  // ends of the arm's pieces in the plane at its absolute angles
    const ends = [[0, 0]];
    for (const [, angle, along, across] of this.links) {
      const t = angle === null ? 0 : this.plan ? Math.PI / 2 - x[angle] : x[angle], [u, v] = ends[ends.length - 1];
      ends.push([u + along * Math.sin(t) + across * Math.cos(t), v + along * Math.cos(t) - across * Math.sin(t)]);
    }
    return ends;
  }

  tcp() {  // in the plane, which it may lie beside
    const foot = new THREE.Matrix4().set(...this.pose.flat()).invert(), at = new THREE.Vector3(...this.actor.position()).applyMatrix4(foot);
    const turned = this.turned();
    return this.plan ? [at.x, at.y, at.z] : [at.x * Math.cos(turned) + at.y * Math.sin(turned), at.z];
  }

  turned() { return this.plan ? 0 : this.actor.answers.angles(this.actor.q)[0]; }

  follow() {
    const matrix = new THREE.Matrix4().set(...this.pose.flat()).multiply(new THREE.Matrix4().makeRotationZ(this.turned()));
    matrix.multiply(this.plan ? new THREE.Matrix4().setPosition(0, 0, this.tcp()[2]) : new THREE.Matrix4().makeRotationX(Math.PI / 2));
    matrix.decompose(this.group.position, this.group.quaternion, this.group.scale);
  }

  zones() {  // cells of the plane, within all ranges and near a singularity, by the other axes as they stand
    if (this.cells || !this.near) return this.cells || [];
    const { answers, limits, q } = this.actor, [i, j] = this.axes;
    const inside = posture => limits.every(({ row, low, high }) => { const value = dot(row, posture); return !(row[i] || row[j]) || value >= low && value <= high; });
    const at = (u, v) => { const posture = q.slice(); posture[i] = u; posture[j] = v; return posture; };
    const span = axis => { const { low, high } = this.actor.axes[axis], from = low / this.actor.axes[axis].scale; return [from, Math.ceil((high / this.actor.axes[axis].scale - from) / CELL)]; };
    const [[u0, columns], [v0, rows]] = [span(i), span(j)], cells = [];
    for (let a = 0; a < columns; a++) for (let b = 0; b < rows; b++) {
      const u = u0 + a * CELL, v = v0 + b * CELL, distances = answers.distances(at(u + CELL / 2, v + CELL / 2));
      if (!Object.entries(this.near).some(([kind, near]) => Math.abs(distances[kind]) < near)) continue;
      const corners = [at(u, v), at(u + CELL, v), at(u + CELL, v + CELL), at(u, v + CELL)];
      if (corners.every(inside)) cells.push(corners.map(posture => this.nodes(answers.angles(posture)).pop()));
    }
    return this.cells = cells;
  }

  range() {  // the region between the outlines, with its edges
    const shapes = [], holes = [], area = loop => loop.reduce((sum, [x, y], k) => { const [u, v] = loop[(k + 1) % loop.length]; return sum + x * v - u * y; }, 0);
    for (const loop of this.outlines) (area(loop) > 0 ? shapes : holes).push(loop.map(([x, y]) => new THREE.Vector2(x, y)));
    const made = shapes.map(loop => new THREE.Shape(loop));
    holes.forEach(loop => made[0].holes.push(new THREE.Path(loop)));
    return [...made.map(shape => this.sheet(new THREE.ShapeGeometry(shape), EDGE, 0.18)),
            ...this.outlines.map(loop => added(this.group, new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(loop.map(([x, y]) => new THREE.Vector3(x, y, 0))),
                                                                            new THREE.LineBasicMaterial({ color: EDGE }))))];
  }

  singular() {
    if (!this.near) return [];
    const places = this.zones().flatMap(([a, b, c, d]) => [a, b, c, a, c, d]).flatMap(([x, y]) => [x, y, 0]);
    return [this.sheet(new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(places, 3)), ZONE, 0.45)];
  }

  sheet(geometry, colour, opacity) {
    const material = new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity, side: THREE.DoubleSide, depthWrite: false });
    return added(this.group, new THREE.Mesh(geometry, material));
  }
}

class Section {  // the plane as a drawing, with the lengths of the MDH table in mm and the arm as it stands
  constructor(open) {
    this.picture = svg("svg", { class: "section", role: "img", "aria-label": "section of the working range in the plane of the arm" });
    this.node = element("details", { id: "section", open, ontoggle: () => this.refresh() },
                        element("summary", { textContent: "Working range and lengths" }), this.picture);
  }

  choose(actor) {
    this.plane = actor.inPlane;
    this.node.hidden = !this.plane;
    this.picture.replaceChildren();
    if (!this.plane) return;
    const points = this.plane.outlines.flat(), [x, y] = [0, 1].map(k => points.map(point => point[k]).concat(0));
    const [low, high, bottom, top] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)], width = 1.16 * (high - low), height = 1.16 * (top - bottom);
    this.scale = 300 / Math.max(width, height);
    this.put = ([u, v]) => [this.scale * u, -this.scale * v];
    this.picture.setAttribute("viewBox", [this.scale * (low - 0.08 * (high - low)), -this.scale * (top + 0.08 * (top - bottom)), this.scale * width, this.scale * height].join(" "));
    const path = loops => loops.map(loop => `M${loop.map(point => this.put(point).map(value => value.toFixed(1)).join(",")).join("L")}Z`).join("");
    this.zones = null;
    this.path = path;
    this.singular = svg("path", { class: "zone" });
    this.arm = svg("g", {});
    this.picture.append(svg("path", { class: "range", d: path(this.plane.outlines) }), this.singular, this.arm);
    this.refresh();
  }

  refresh() {
    if (!this.plane || !this.node.open) return;
    if (this.zones === null) this.singular.setAttribute("d", this.path(this.zones = this.plane.zones()));
    const { actor, links } = this.plane, nodes = this.plane.nodes(actor.answers.angles(actor.q)), ends = nodes.map(this.put), last = ends[ends.length - 1];
    const [tx, ty] = this.put(this.plane.tcp()), line = (from, to, kind) => svg("line", { class: kind, x1: from[0], y1: from[1], x2: to[0], y2: to[1] });
    const label = ([name, , along, across], k) => {
      const upright = Math.abs(ends[k + 1][1] - ends[k][1]) > Math.abs(ends[k + 1][0] - ends[k][0]), side = upright ? name === "a3" ? -1 : 1 : 0;
      const text = svg("text", { x: (ends[k][0] + ends[k + 1][0]) / 2 + 5 * side, y: (ends[k][1] + ends[k + 1][1]) / 2 + (upright ? 3 : -5), "text-anchor": ["end", "middle", "start"][side + 1] });
      text.textContent = `${name} ${trimmed(1000 * Math.hypot(along, across), 1)}`;
      return text;
    };
    this.arm.replaceChildren(...links.map((_, k) => line(ends[k], ends[k + 1], "arm")), line(last, [tx, ty], "tool"), svg("circle", { cx: tx, cy: ty, r: 2.5 }),
                             ...links.map((link, k) => Math.hypot(link[2], link[3]) > 1e-6 && label(link, k)).filter(Boolean));
  }
}

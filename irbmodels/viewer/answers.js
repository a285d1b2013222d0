"use strict";
// The page's own part: answers of robots, the robots and their layers, the player with its charts, and the panel.
// The 3D scene is meshcat's. What is drawn comes as `page` (see page.py); what others may call is `irb`, at the end of panel.js.

// --- answers: what a robot computes in a posture, with the programs of Python (see page_answers.py) --------------------------

const ROUND = 1e-12;                    // of an angle or a length: -1e-17 rad is 0, in quadrant 0
const NO_AXES = "[9E9,9E9,9E9,9E9,9E9,9E9]";  // external ones, none of which is used
const ROUNDS = 30, FARTHEST = 0.3;       // of an iteration: how many, and how far one moves an axis at most [rad, m]
const ENOUGH = 1e-10;                   // what it may leave of a twist [m, rad]
const VALID = 1, INSIDE = 2;            // bits of a solution of inverse kinematics
const BRINK = 1e-6;                     // [rad, m] what the digits of a printed target leave of an angle
const middle = quadrant => (quadrant + 0.5) * Math.PI / 2;

class Answers {
  constructor({ queries, causes, gravity, world, payload, carried, robax, arm }) {
    this.known = Object.keys(queries);
    for (const [name, query] of Object.entries(queries)) this[name] = this.of(query);
    this.causes = Object.fromEntries(Object.entries(causes).map(([name, query]) => [name, this.of(query)]));
    this.loaded = Boolean(causes.friction && causes.friction.loaded);  // friction depends on the posture
    this.down = gravity;
    this.world = world;  // pose of the base
    this.payload = payload;  // rated one [kg]
    this.carried = carried;  // mass of tool and payload [kg]
    this.places = robax;  // of the axes in a jointtarget
    this.arm = arm;
    if (arm && arm.inverse) {
      this.solve = FUNCTIONS[arm.inverse.function];
      this.constants = doubles(arm.inverse.constants);
    }
  }

  of(query) {  // what computes the one output of a query
    const run = FUNCTIONS[query.function], constants = doubles(query.constants);
    return (...inputs) => run(constants, ...inputs)[0];
  }

  angles(q) {  // absolute ones of the arm
    const { angles, zero } = this.arm, shifted = q.map((value, i) => value - zero[i]);
    return angles.map(row => dot(row, shifted));
  }

  distances(q) {  // signed ones from singularities: wrist and elbow in rad, shoulder in m
    const x = this.angles(q), turn = angle => angle - Math.PI * Math.round(angle / Math.PI);
    const [ahead, lower, fore] = this.arm.lengths;
    const shoulder = ahead + lower * Math.sin(x[1]) + fore * Math.sin(x[2]);
    return { "six axes": { wrist: turn(x[4]), elbow: turn(x[2] - x[1]), shoulder }, palletizer: { elbow: turn(x[2] - x[1]), shoulder },
             scara: { elbow: turn(x[1] - x[0]) } }[this.arm.kind];
  }

  configuration(q) {  // ABB's cf1, cf4, cf6, cfx
    const quadrant = angle => Math.floor(angle / (Math.PI / 2) + ROUND), { coupled, quadrants } = this.arm;
    const bits = this.signs(q).reduce((sum, value, bit) => sum + (value < -ROUND ? 1 << bit : 0), 0);
    return [...quadrants.map(axis => axis === null ? 0 : quadrant(q[axis])), coupled ? quadrant(q[1]) : bits];
  }

  signs(q) {  // quantities whose signs are the bits of cfx
    const x = this.angles(q);
    return { "six axes": () => [q[4], Math.sin(x[2] - x[1]), this.distances(q).shoulder], palletizer: () => [], scara: () => [Math.sin(x[1] - x[0])] }[this.arm.kind]();
  }

  matches(q, wanted) {  // whether a posture has configuration data; on the edge of a quadrant it belongs to both, as in kinematics/configuration.py
    const { coupled, quadrants } = this.arm, within = (angle, quadrant) => Math.abs(angle - middle(quadrant)) <= Math.PI / 4 + BRINK;
    return quadrants.every((axis, i) => axis === null || within(q[axis], wanted[i])) &&
      (coupled ? within(q[1], wanted[3]) : this.signs(q).every((value, bit) => wanted[3] >> bit & 1 ? value <= BRINK : value >= -BRINK));
  }

  seeded(q, wanted) {  // a posture whose axes lie in the quadrants of configuration data, for what a singularity leaves free
    return this.inQuadrants(q, wanted, (x, centre) => Math.abs(x - centre) <= Math.PI / 4 + BRINK ? x : centre);
  }

  turned(q, wanted) {  // by whole turns, into the quadrants of configuration data
    return this.inQuadrants(q, wanted, (x, centre) => x + 2 * Math.PI * Math.round((centre - x) / (2 * Math.PI)));
  }

  inQuadrants(q, wanted, put) { return q.map((x, k) => { const i = this.arm.quadrants.indexOf(k); return i < 0 ? x : put(x, middle(wanted[i])); }); }

  postures(pose, near, limits) {  // of a pose, rows of its matrix: those of the closed form, nearest to a seed first
    const { seed } = this.arm.inverse, x = this.angles(near), n = near.length;
    const put = (places, values) => places.forEach((place, i) => { if (place >= 0) this.constants[place] = values[i]; });
    put(seed.free_sin, x.map(Math.sin));
    put(seed.free_cos, x.map(Math.cos));
    put(seed.seed, near.map((_, i) => Math.min(Math.max(dot(limits[i].row, near), limits[i].low), limits[i].high)));
    const [rows, bits, [missing]] = this.solve(this.constants, pose.flat());
    const found = bits.map((kind, k) => ({ slot: k, q: rows.slice(k * n, k * n + n), inside: (kind & INSIDE) > 0, valid: (kind & VALID) > 0 }));
    const far = one => Math.hypot(...one.q.map((value, i) => value - near[i]));
    return { missing, postures: found.filter(one => one.valid).sort((one, other) => far(one) - far(other)) };
  }

  nearby(pose, near) {  // of an arm without a closed form: by damped Gauss-Newton steps from a posture, with what they left
    let q = near.slice(), off = this.twist(q, pose);
    for (let step = 0; step < ROUNDS && Math.hypot(...off) > ENOUGH; step++) {
      const J = this.jacobian(q), n = q.length, rows = off.map((_, row) => Array.from(J.slice(row * n, row * n + n)));
      const damping = Math.min(1e-2, dot(off, off)) + 1e-12, square = rows.map((one, i) => rows.map((other, k) => dot(one, other) + (i === k ? damping : 0)));
      const weights = solved(square, off), change = q.map((_, i) => rows.reduce((sum, row, k) => sum + row[i] * weights[k], 0));
      const shorter = Math.min(1, FARTHEST / Math.max(...change.map(Math.abs), 1e-300));
      q = q.map((value, i) => value + shorter * change[i]);
      off = this.twist(q, pose);
    }
    return { q, off };
  }

  twist(q, pose) {  // from the TCP to a pose, rows of its matrix: way [m] and rotation vector [rad] in the base
    const T = this.pose(q), at = [0, 1, 2].map(i => pose[i][3] - T[4 * i + 3]);
    const R = [0, 1, 2].map(i => [0, 1, 2].map(k => [0, 1, 2].reduce((sum, j) => sum + pose[i][j] * T[4 * k + j], 0)));
    const [w, ...v] = quaternion(R), length = Math.hypot(...v), half = Math.atan2(length, Math.abs(w)) * Math.sign(w || 1);
    return [...at, ...v.map(x => length ? 2 * half * x / length : 0)];
  }

  held(q, mass, centre) {  // torques that hold a mass whose centre is given in the TCP's frame [m]
    const J = this.jacobian(q), T = this.pose(q), n = q.length;
    const [x, y, z] = [0, 1, 2].map(row => T[4 * row] * centre[0] + T[4 * row + 1] * centre[1] + T[4 * row + 2] * centre[2]);
    const force = this.down.map(g => -mass * g), moment = [y * force[2] - z * force[1], z * force[0] - x * force[2], x * force[1] - y * force[0]];
    return q.map((_, i) => [...force, ...moment].reduce((sum, part, row) => sum + part * J[row * n + i], 0));
  }

  has(cause) {  // whether torque of this kind is in the model
    const needs = { friction: "friction", springs: "weight", payload: "unloaded" }[cause];
    return !needs || needs in this.causes;
  }

  parts(q, v, tau, a) {  // of a motion's torque, by cause; accelerations are needed where the robot holds a payload
    const { friction, unloaded, weight } = this.causes, still = q.map(() => 0), less = (one, other) => one.map((value, i) => value - other[i]);
    const rubbing = friction ? (this.loaded ? friction(q, v) : friction(v)) : still, rigid = less(tau, rubbing);
    const held = unloaded ? unloaded(q, still, still) : this.gravity(q), steady = unloaded ? unloaded(q, v, still) : less(this.inverse_dynamics(q, v, still), rubbing);
    const moving = unloaded ? unloaded(q, v, a) : rigid, gravity = weight ? weight(q) : held;
    return { gravity, inertia: less(moving, steady), Coriolis: less(steady, held), friction: rubbing, springs: less(held, gravity), payload: less(rigid, moving) };
  }

  manipulability(q) {  // product of the singular values of the Jacobian
    const J = this.jacobian(q), n = q.length, rows = [0, 1, 2, 3, 4, 5].map(row => Array.from(J.slice(row * n, row * n + n)));
    if (n === 6) return Math.abs(determinant(rows));
    const vectors = n > 6 ? rows : q.map((_, i) => rows.map(row => row[i]));
    return Math.sqrt(Math.max(0, determinant(vectors.map(one => vectors.map(other => dot(one, other))))));
  }

  robtarget(q) {  // of RAPID, in wobj0; without a configuration where its data are not known
    const T = this.pose(q), W = this.world, at = (i, k) => [0, 1, 2].reduce((sum, j) => sum + W[i][j] * T[4 * j + k], k === 3 ? W[i][3] : 0);
    const wxyz = quaternion([0, 1, 2].map(i => [0, 1, 2].map(k => at(i, k)))), sign = Math.sign(wxyz.find(x => Math.abs(x) > ROUND));
    const place = [0, 1, 2].map(i => trimmed(1000 * at(i, 3), 4)), configuration = this.arm ? this.configuration(q) : [0, 0, 0, 0];
    return `[[${place.join(",")}],[${wxyz.map(x => trimmed(sign * x, 9)).join(",")}],[${configuration.join(",")}],${NO_AXES}]`;
  }

  jointtarget(q, axes) {
    const shown = [0, 0, 0, 0, 0, 0], external = Array(6).fill("9E9");  // axis 7 is eax_a
    this.places.forEach((place, i) => { (place < 6 ? shown : external)[place % 6] = trimmed(q[i] * axes[i].scale, 5); });
    return `[[${shown.join(",")}],[${external.join(",")}]]`;
  }
}

function quaternion(R) {  // w, x, y, z of a rotation, by its largest entry
  const [[a, b, c], [d, e, f], [g, h, i]] = R;
  const rows = [[1 + a + e + i, h - f, c - g, d - b], [h - f, 1 + a - e - i, b + d, c + g], [c - g, b + d, 1 - a + e - i, f + h], [d - b, c + g, f + h, 1 - a - e + i]];
  const best = rows.reduce((found, row, k) => row[k] > rows[found][found] ? k : found, 0), length = Math.hypot(...rows[best]);
  return rows[best].map(x => x / length);
}

const dot = (row, q) => row.reduce((sum, value, i) => sum + value * q[i], 0);
const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
const doubles = text => text === null ? null : new Float64Array(bytes(text).buffer);
const trimmed = (value, digits) => String(Number(value.toFixed(digits)) + 0);

function solved(matrix, right) {  // a system of equations, by Gauss and Jordan with the largest pivot
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (let k = 0; k < rows.length; k++) {
    const best = rows.reduce((found, row, i) => i > k && Math.abs(row[k]) > Math.abs(rows[found][k]) ? i : found, k);
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = 0; i < rows.length; i++) if (i !== k) {
      const share = rows[i][k] / rows[k][k];
      for (let j = k; j < rows[k].length; j++) rows[i][j] -= share * rows[k][j];
    }
  }
  return rows.map((row, k) => row[rows.length] / row[k]);
}

function determinant(matrix) {  // by Gauss, with the largest pivot
  const rows = matrix.map(row => row.slice());
  let product = 1;
  for (let k = 0; k < rows.length; k++) {
    const best = rows.reduce((found, row, i) => i > k && Math.abs(row[k]) > Math.abs(rows[found][k]) ? i : found, k);
    if (!rows[best][k]) return 0;
    if (best !== k) { [rows[k], rows[best]] = [rows[best], rows[k]]; product = -product; }
    product *= rows[k][k];
    for (let i = k + 1; i < rows.length; i++) {
      const share = rows[i][k] / rows[k][k];
      for (let j = k; j < rows.length; j++) rows[i][j] -= share * rows[k][j];
    }
  }
  return product;
}

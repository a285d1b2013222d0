// --- a handle at the TCP: arrows move it, rings turn it, the ball moves it in the plane of the screen ----------------------------

const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], BLUNT = 14;  // [px] that a finger may miss a part by
const HUES = { day: [0xd62728, 0x1b7f1b, 0x1f4fd6], night: [0xff6b6b, 0x4cc94c, 0x7aa8ff] };  // a contrast of 3 with the scene behind

class Handle {  // of one robot whose TCP can be dragged
  constructor(actor) {
    this.actor = actor;
    this.ray = new THREE.Raycaster();
    this.group = new THREE.Group();
    this.parts = [];
    this.follow();
    const turning = axis => actor.axes.length > 5 || Math.abs(actor.pose()[2][axis.indexOf(1)]) > 0.999;  // others turn about z alone
    const size = 0.16 * actor.size, put = (object, kind, axis) => {
      object.traverse(part => { if (part.isMesh) { part.userData = { kind, axis }; this.parts.push(part); } });
      this.group.add(object);
    };
    AXES.forEach((axis, i) => {
      const arrow = stick(size, 0.035 * size, HUES.day[i], 0.24 * size), ring = new THREE.Group();
      arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...axis));
      ring.add(new THREE.Mesh(new THREE.TorusGeometry(0.8 * size, 0.025 * size, 8, 48), glossy(HUES.day[i], 0.7)));
      ring.quaternion.copy(arrow.quaternion);
      put(arrow, "move", i);
      if (turning(axis)) put(ring, "turn", i);
    });
    put(new THREE.Mesh(new THREE.SphereGeometry(0.1 * size, 16, 12), glossy(0xff6e0d)), "plane", null);
    onTop(this.group);
    this.paint();
    actor.base.add(this.group);
  }

  paint() {
    const hues = DARK.matches ? HUES.night : HUES.day;
    this.parts.forEach(part => { if (part.userData.axis !== null) part.material.color.set(hues[part.userData.axis]); });
  }

  follow() {  // put the handle where the TCP is
    this.matrix = new THREE.Matrix4().set(...this.actor.pose().flat());
    this.matrix.decompose(this.group.position, this.group.quaternion, this.group.scale);
  }

  aim(event) {
    const box = document.getElementById("scene").getBoundingClientRect();
    const at = { x: 2 * (event.clientX - box.left) / box.width - 1, y: 1 - 2 * (event.clientY - box.top) / box.height };
    this.ray.setFromCamera(at, viewer.camera);
    return this.ray.ray;
  }

  grip(event) {  // take the part under the pointer; return whether there is one
    if (!this.group.visible) return false;
    const around = event.pointerType === "touch" ? [0, BLUNT / 2, BLUNT] : [0], turns = [0, 1, 2, 3, 4, 5, 6, 7].map(k => k * Math.PI / 4);
    const [hit] = around.flatMap(far => far ? turns.map(turn => [far * Math.cos(turn), far * Math.sin(turn)]) : [[0, 0]]).flatMap(([x, y]) => {
      this.aim({ clientX: event.clientX + x, clientY: event.clientY + y });
      return this.ray.intersectObjects(this.parts).slice(0, 1);
    });
    if (!hit) return false;
    const { kind, axis } = hit.object.userData, rotation = new THREE.Matrix4().extractRotation(this.actor.base.matrixWorld);
    const turn = rotation.multiply(new THREE.Matrix4().extractRotation(this.matrix));
    this.part = { kind, axis, from: this.matrix.clone(), centre: this.group.getWorldPosition(new THREE.Vector3()) };
    this.part.along = axis === null ? null : new THREE.Vector3(...AXES[axis]).applyMatrix4(turn);
    this.part.start = this.where(event);
    panel.take(this.actor);
    return true;
  }

  where(event) {  // what the pointer says of the part that it holds: a point in the world, or an angle
    const ray = this.aim(event), { kind, centre, along } = this.part, facing = viewer.camera.getWorldDirection(new THREE.Vector3());
    if (kind === "move") {  // the point of the axis nearest to the ray
      const between = centre.clone().sub(ray.origin), across = along.dot(ray.direction), slope = 1 - across * across;
      return slope < 1e-6 ? null : centre.clone().addScaledVector(along, (across * ray.direction.dot(between) - along.dot(between)) / slope);
    }
    const normal = kind === "turn" ? along : facing;
    const point = ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(normal, centre), new THREE.Vector3());
    if (!point || kind === "plane") return point;
    const arm = point.sub(centre), side = Math.abs(along.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0);
    const across = side.cross(along).normalize(), up = along.clone().cross(across);
    return Math.atan2(arm.dot(up), arm.dot(across));
  }

  drag(event) {
    const now = this.where(event), { kind, axis, from, start } = this.part;
    if (now === null || start === null) return;
    const target = from.clone();
    if (kind === "turn") target.multiply(new THREE.Matrix4().makeRotationAxis(new THREE.Vector3(...AXES[axis]), now - start));
    else {
      const back = this.actor.base.matrixWorld.clone().invert(), step = now.clone().applyMatrix4(back).sub(start.clone().applyMatrix4(back));
      target.setPosition(new THREE.Vector3().setFromMatrixPosition(from).add(step));
    }
    const e = target.elements;
    this.actor.towards([0, 1, 2, 3].map(row => [e[row], e[row + 4], e[row + 8], e[row + 12]]));
  }
}

document.getElementById("scene").addEventListener("pointerdown", event => {  // before the camera's controls
  if (event.button || !irb.actors.some(actor => actor.handle && actor.handle.grip(event))) return;
  event.stopPropagation();
  const held = irb.actors.find(actor => actor.handle && actor.handle.part).handle;
  const own = other => other.pointerId === event.pointerId;  // and not of a second finger
  const drag = moved => { if (own(moved)) held.drag(moved); }, release = up => {
    if (!own(up)) return;
    held.part = null;
    removeEventListener("pointermove", drag);
    removeEventListener("pointerup", release);
    removeEventListener("pointercancel", release);
  };
  addEventListener("pointermove", drag);
  addEventListener("pointerup", release);
  addEventListener("pointercancel", release);
}, true);

// --- a pose of the TCP that is typed or pasted: x, y, z in fields, a robtarget or seven numbers as text --------------------------

const SHORT = 4e-4;                     // that a quaternion may be shorter or longer than 1, as in RAPID
const METRES = 3;                       // [mm] a target this near to the origin is one in metres
const GROUPS = [["x, y, z", 3], ["q1, q2, q3, q4", 4], ["cf1, cf4, cf6, cfx", 4], ["the external axes", 6]];

class Target {
  constructor() {
    this.fields = ["x", "y", "z"].map((name, i) => element("input", {
      type: "number", id: `tcp-${name}`, step: 1, "data-step": 1, "aria-label": `${name} of the TCP [mm]`, title: `${name} of the TCP in the base [mm]`, onkeydown: stepped, onchange: event => this.typed(event.target, i),
    }));
    this.quaternion = element("pre");
    const about = "pose of the TCP: a robtarget (in wobj0), or x, y, z in mm and q1 to q4 (in the base)";
    this.text = element("input", { type: "text", id: "target", autocomplete: "off", spellcheck: false, placeholder: "robtarget, or x, y, z, q1, q2, q3, q4", title: about, "aria-label": about,
                                   onchange: () => this.go(), oninput: event => event.inputType === "insertFromPaste" && this.go() });
    this.node = element("div", { id: "tcp", role: "group", "aria-label": "TCP" }, element("div", {}, element("b", { textContent: "TCP" }), ...this.fields.flatMap((field, i) => ["xyz"[i], field]), "mm"), this.quaternion, this.text);
  }

  choose(actor) {
    this.actor = actor;
    this.text.hidden = !actor.dragged();
    this.fields.forEach(field => { field.readOnly = !actor.dragged(); });
  }

  refresh() {
    const pose = this.actor.pose(), wxyz = quaternion(pose), sign = Math.sign(wxyz.find(x => Math.abs(x) > ROUND));
    this.fields.forEach((field, i) => { field.value = number(1000 * pose[i][3]); });
    this.quaternion.textContent = `q1..q4    ${wxyz.map(value => number(sign * value, 4)).join("  ")}`;
    [...this.fields, this.text].forEach(field => field.setAttribute("aria-invalid", false));
  }

  typed(field, i) {  // a coordinate, the others and the orientation as they are
    panel.undo.begin();
    const pose = this.actor.pose();
    pose[i][3] = field.valueAsNumber / 1000;
    if (!Number.isFinite(field.valueAsNumber)) return this.refresh();
    field.setAttribute("aria-invalid", !this.actor.towards(pose));
  }

  go() {
    if (!this.text.value.trim()) return refuse("");
    panel.undo.begin();
    let done = false;
    try {
      const { pose, configuration } = readTarget(this.text.value, this.actor);
      done = this.actor.towards(pose, configuration);
    } catch (problem) { refuse(problem.message); }
    if (done) this.text.value = "";
    this.text.setAttribute("aria-invalid", !done);
  }
}

function readTarget(text, actor) {  // pose in the base and configuration data, null where there are none
  const value = text.replace(/^.*:=/s, "").replace(/;\s*$/, "").trim(), robtarget = value.startsWith("["), read = part => part.split(",").map(x => NUMBER.test(x) ? Number(x) : NaN);
  let groups;
  if (robtarget) {
    const part = "\\s*\\[([^\\][]*)\\]\\s*", parts = value.match(new RegExp(`^\\[${[part, part, part, part].join(",")}\\]$`));
    if (!parts) throw new Error(`a robtarget is [[x,y,z],[q1,q2,q3,q4],[cf1,cf4,cf6,cfx],[six external axes]], not ${value.slice(0, 60)}`);
    if (actor.axes.length > 6) throw new Error(`a robtarget of ${actor.axes.length} axes has an arm angle, which is not solved for here; give x, y, z, q1, q2, q3, q4`);
    groups = parts.slice(1).map(read);
  } else {
    const all = read(value.replace(/\s*[\s,;]\s*/g, ","));
    if (all.length !== 3 && all.length !== 7) throw new Error(`a pose is x, y, z [mm], with or without q1, q2, q3, q4: 3 or 7 numbers, not ${all.length}`);
    groups = all.length === 3 ? [all] : [all.slice(0, 3), all.slice(3)];
  }
  groups.forEach((group, i) => {
    const [name, count] = GROUPS[i];
    if (group.length !== count || !group.every(Number.isFinite)) throw new Error(`${name} are ${count} numbers, not [${group.join(", ").slice(0, 60)}]`);
  });
  const [place, wxyz, configuration = null] = groups, far = Math.max(...place.map(Math.abs)), length = wxyz ? Math.hypot(...wxyz) : 1;
  if (far > 0 && far < METRES) throw new Error(`x, y, z = ${place.join(", ")} are mm; this is within ${METRES} mm of the origin`);
  if (Math.abs(length - 1) > SHORT) throw new Error(`the quaternion [${wxyz.join(", ")}] has length ${trimmed(length, 4)}, not 1; the scalar q1 comes first`);
  if (configuration && !configuration.every(Number.isInteger)) throw new Error(`cf1, cf4, cf6, cfx are whole numbers, not [${configuration.join(", ")}]`);
  const at = actor.pose(), R = wxyz ? rotation(wxyz.map(x => x / length)) : at.map(row => row.slice(0, 3));
  const pose = [0, 1, 2].map(i => [...R[i], place[i] / 1000]), W = actor.answers.world, back = (i, k) => [0, 1, 2].reduce((sum, j) => sum + W[j][i] * (pose[j][k] - (k === 3 ? W[j][3] : 0)), 0);
  return { pose: [...(robtarget ? [0, 1, 2].map(i => [0, 1, 2, 3].map(k => back(i, k))) : pose), [0, 0, 0, 1]], configuration };
}

function rotation([w, x, y, z]) {  // of a unit quaternion
  return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]];
}

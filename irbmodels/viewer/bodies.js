// --- bodies: mass, centre, inertia of a link, where each number comes from, and what another set says of them -------------------

const ENTRIES = ["Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"];
const STILL = 4;                        // pixels that the pointer may move in a click

class Bodies {
  constructor() {
    this.link = element("select", { id: "body-link", "aria-label": "link whose body is shown", onchange: () => this.show() });
    this.other = element("select", { id: "other-set", "aria-label": "set of parameters to compare with", onchange: () => this.show() });
    this.table = element("table", { id: "body" });
    this.loads = element("table", { id: "gravity-of-sets" });
    this.about = element("div", { className: "caption", id: "sources" });
    this.node = element("details", { id: "inside", ontoggle: () => this.refresh() }, element("summary", { textContent: "Bodies and their sources" }),
                        element("div", { className: "chosen" }, this.link, this.other), this.table, this.about, this.loads,
                        element("div", { className: "caption", textContent: "A click on a link in the picture chooses it." }));
  }

  choose(actor) {
    this.actor = actor;
    const { own, sets } = actor.sets, names = Object.keys(sets), links = [...new Set(names.flatMap(name => Object.keys(sets[name].links)))];
    this.node.hidden = !names.length;
    if (!names.length) return;
    this.link.replaceChildren(...links.map(name => element("option", { textContent: name })));
    this.other.replaceChildren(...["", ...names.filter(name => name !== own)].map(name => element("option", { value: name, textContent: name ? `compare: ${name}` : "no other set" })));
    this.other.hidden = names.length < 2;
    this.show();
  }

  pick(link) {  // a link that was clicked; one without a body says so
    if (![...this.link.options].some(option => option.value === link)) this.link.append(element("option", { textContent: link }));
    this.link.value = link;
    this.node.open = true;
    this.show();
  }

  show() {
    const { own, sets, sources } = this.actor.sets, shown = [own, this.other.value].filter(Boolean), bodies = shown.map(name => sets[name] && sets[name].links[this.link.value]);
    const source = (body, k) => body.sources[k] in sources ? `${sources[body.sources[k]].grade}: ${body.sources[k]}` : body.sources[k];
    const rows = [["mass [kg]", 0, body => [body.mass]], ["centre x, y, z [mm]", 1, body => body.com], ...ENTRIES.map((name, i) => [`${name} [kg m²]`, 2, body => [body.inertia[i]]])];
    const cell = (body, k, values) => element("td", { textContent: body ? values(body).map(value => shortened(value)).join(", ") : "–", title: body ? source(body, k) : "no body in this set" });
    this.table.replaceChildren(header([this.link.value, ...shown]), ...rows.map(([name, k, values]) =>
      element("tr", {}, element("th", { scope: "row", textContent: name }), ...bodies.map(body => cell(body, k, values)))));
    const used = new Set(bodies.filter(Boolean).flatMap(body => body.sources)), known = [...used].filter(key => key in sources);
    this.about.replaceChildren(...bodies.map((body, k) => body && body.impossible && element("div", { className: "impossible", textContent: `${shown[k]}: as printed, which no body can be` })).filter(Boolean),
                               ...known.map(key => element("div", { textContent: `${key} (${sources[key].grade}): ${sources[key].ref}${sources[key].how ? `; ${sources[key].how}` : ""}` })),
                               ...[...used].filter(key => !(key in sources)).map(text => element("div", { textContent: text })));
    this.refresh();
  }

  refresh() {  // torques of gravity of both sets where the robot stands
    const { answers, axes, sets: { own, sets }, q } = this.actor, other = sets[this.other.value];
    this.loads.replaceChildren();
    if (!this.node.open || !other || !other.gravity || !answers.gravity) return;
    const [one, two] = [answers.gravity(q), answers.of(other.gravity)(q)];
    this.loads.append(header(["gravity", own, this.other.value, "difference"]), ...axes.map((axis, i) => element("tr", {}, element("th", { scope: "row", textContent: `${axis.label} [${axis.torque}]` }),
      ...[one[i], two[i], two[i] - one[i]].map(value => element("td", { textContent: number(value, 1) })))));
  }

  under(event) {  // link under the pointer, null where there is none
    const box = document.getElementById("scene").getBoundingClientRect(), ray = new THREE.Raycaster();
    ray.setFromCamera({ x: 2 * (event.clientX - box.left) / box.width - 1, y: 1 - 2 * (event.clientY - box.top) / box.height }, viewer.camera);
    const hits = irb.actors.flatMap(actor => ray.intersectObjects(actor.visuals.map(node), true).map(hit => ({ hit, actor }))).sort((a, b) => a.hit.distance - b.hit.distance);
    if (!hits.length) return null;
    const [{ hit, actor }] = hits, links = new Map(Object.entries(actor.links).map(([name, path]) => [node(path), name]));
    for (let object = hit.object; object; object = object.parent) if (links.has(object)) return { actor, link: links.get(object) };
    return null;
  }
}

const header = names => element("tr", {}, ...names.map(name => element("th", { scope: "col", textContent: name })));
const shortened = value => value && Math.abs(value) < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(5)));

document.getElementById("scene").addEventListener("pointerdown", start => {
  const box = document.getElementById("scene"), end = stop => {
    box.removeEventListener("pointerup", end);
    const found = Math.hypot(stop.clientX - start.clientX, stop.clientY - start.clientY) < STILL && panel && panel.bodies.under(stop);
    if (found && found.actor === panel.chosen) panel.bodies.pick(found.link);
  };
  if (!start.button) box.addEventListener("pointerup", end);
});

// --- light and dark: the scene follows the system, as the styles of page.html do ----------------------------------------------

const DARK = matchMedia("(prefers-color-scheme: dark)");
const NIGHT = { top_color: [0.17, 0.19, 0.21], bottom_color: [0.24, 0.27, 0.3], floor: 0x5a6067 };

class Scheme {  // by day the scene is as Python sends it
  constructor() {
    this.background = node(["Background"]);
    this.floor = [];
    node(["meshcat", "floor"]).traverse(part => { if (part.material) this.floor.push(part.material.color); });
    this.day = Object.fromEntries(["top_color", "bottom_color"].map(name => [name, this.background[name].map(x => x / 255)]));
    this.day.floor = this.floor.map(colour => colour.getHex());
    DARK.addEventListener("change", () => this.apply());
    if (DARK.matches) this.apply();
  }

  apply() {
    const now = DARK.matches ? NIGHT : this.day;
    for (const name of ["top_color", "bottom_color"]) viewer.set_property(["Background"], name, now[name]);
    this.floor.forEach((colour, i) => colour.set(DARK.matches ? now.floor : now.floor[i]));
    irb.actors.forEach(actor => actor.handle && actor.handle.paint());
    viewer.set_dirty();
  }
}

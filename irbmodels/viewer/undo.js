// --- postures gone through: undo and redo, and the link that carries a posture -------------------------------------------------

const UNDONE = 200;                     // steps that can be undone
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };  // of a slider, by key

class Undo {  // a step is what one press of pointer or key moves, or one command of a program
  constructor() {
    Object.assign(this, { past: [], future: [], press: {} });
    for (const kind of ["pointerdown", "click", "focusin"]) addEventListener(kind, () => this.begin(), true);
    addEventListener("keydown", event => {  // a key that is held is one press, and so is a number that is typed
      if (!event.repeat && (event.target.type !== "number" || event.key in STEPS)) this.begin();
    }, true);
    this.buttons = [["undo", "↶"], ["redo", "↷"]].map(([name, textContent]) => element("button", {
      id: name, textContent, title: `${name} the last move`, "aria-label": name, onclick: () => this[name](),
    }));
    this.refresh();
  }

  begin(press = {}) { this.press = press; }

  note(actor, q) {  // before a robot moves to q
    if (q.every((x, i) => x === actor.q[i])) return;
    const last = this.past[this.past.length - 1];
    if (!last || last.press !== this.press || last.actor !== actor) this.past.push({ actor, q: actor.q, press: this.press });
    if (this.past.length > UNDONE) this.past.shift();
    this.future = [];
    this.refresh();
  }

  step(from, to, done) {
    const step = from.pop();
    if (!step) return;
    to.push({ actor: step.actor, q: step.actor.q, press: {} });
    panel.put(step.q, null, step.actor);
    this.refresh();
    say(done);
  }

  undo() { this.step(this.past, this.future, "move undone"); }

  redo() { this.step(this.future, this.past, "move done again"); }

  refresh() {  // not disabled, which would take the focus away
    [this.past, this.future].forEach((steps, i) => this.buttons[i].setAttribute("aria-disabled", !steps.length));
  }
}

// --- link: #q= and the axes of each robot in the controller's degrees and mm, robots apart by ; ---------------------------------

const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;

const link = () => `#q=${irb.actors.map(({ q, axes }) => q.map((x, i) => trimmed(x * axes[i].scale, 9)).join(",")).join(";")}`;

function follow() {  // the link in the address, if it carries postures: all of them or none
  if (!location.hash.startsWith("#q=")) return;
  let text = location.hash.slice(3);
  try { text = decodeURIComponent(text); } catch { /* a % that escapes nothing is no number either */ }
  const postures = text.split(";").map(part => part.split(",").map(x => NUMBER.test(x) ? Number(x) : NaN));
  postures.map(posture).forEach((q, number) => panel.move(q, null, irb.actors[number]));
}

async function share(button) {  // the link to the address, and to the clipboard where the browser lets a page have it
  history.replaceState(null, "", link());
  const done = await navigator.clipboard.writeText(location.href).then(() => "copied", () => "see address");
  flash(button, done, "link");
}

function flash(button, text, usual) {
  button.textContent = text;
  say(text);
  setTimeout(() => { button.textContent = usual; }, 1000);
}

let saying;
function say(text) {  // to a screen reader, when no newer one comes for half a second
  clearTimeout(saying);
  saying = setTimeout(() => { document.getElementById("said").textContent = text; }, 500);
}

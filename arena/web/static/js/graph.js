// The value of the position over time, a line for each seat, with a cursor; a click or a drag seeks.
const SHAPES = "http://www.w3.org/2000/svg";
const HEIGHT = 100;

function shape(kind, attributes) {
  const node = document.createElementNS(SHAPES, kind);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

export class Graph extends EventTarget {
  constructor(host, colours, label) {
    super();
    this.colours = colours;
    this.values = [];
    this.faults = [];
    this.last = 0;
    this.picture = shape("svg", { preserveAspectRatio: "none", role: "img", "aria-label": label });
    host.replaceChildren(this.picture);
    const seek = (event) => {
      if (event.type === "pointermove" && !(event.buttons & 1)) return;
      const box = this.picture.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      const index = Math.round(share * Math.max(this.last, 1));
      this.dispatchEvent(new CustomEvent("seek", { detail: index }));
    };
    this.picture.addEventListener("pointerdown", seek);
    this.picture.addEventListener("pointermove", seek);
  }

  get isEmpty() {
    return this.values.every((values) => !values);
  }

  append(frame) {
    if (frame.faults) this.faults.push(this.values.length);
    this.values.push(frame.values ?? null);
  }

  // `last` is the last position that can be sought: as far as the slider goes, steps of the scoring included.
  draw(last) {
    this.last = last;
    const width = Math.max(last, 1);
    this.picture.setAttribute("viewBox", `0 -2 ${width} ${HEIGHT + 4}`);
    const lines = [shape("line", { class: "middle", x1: 0, x2: width, y1: HEIGHT / 2, y2: HEIGHT / 2 })];
    for (const seat of this.colours.keys()) lines.push(...this.#line(seat));
    for (const at of this.faults) lines.push(shape("line", { class: "fault", x1: at, x2: at, y1: 0, y2: HEIGHT }));
    this.cursor = shape("line", { class: "cursor", x1: 0, x2: 0, y1: -2, y2: HEIGHT + 2 });
    this.picture.replaceChildren(...lines, this.cursor);
  }

  show(index) {
    for (const name of ["x1", "x2"]) this.cursor?.setAttribute(name, index);
  }

  #line(seat) {
    const told = [...this.values.entries()].filter(([, values]) => values);
    const points = told.map(([at, values]) => `${at},${HEIGHT - values[seat] / (1000 / HEIGHT)}`).join(" ");
    const dash = ["", "6 3", "2 3", "9 3 2 3", "1 2"][seat] ?? "";
    return [
      shape("polyline", { class: "under", points }),
      shape("polyline", { class: "value", points, stroke: this.colours[seat], "stroke-dasharray": dash }),
    ];
  }
}

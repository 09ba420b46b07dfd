// The board of a match: one picture, of which only those parts are replaced that differ between two positions.
//
//   const board = new Board(host, picture, parts)   `parts` is the table that frames refer to; it may grow
//   board.append(frame)      takes the next position, encoded as arena/story/encoding.py says
//   board.show(index)        draws a position; 0 is the start
//   board.cut(length)        forgets the positions behind the first `length`
//   board.mark(ids, labelOf) makes places of the board choosable, named by `labelOf(id)`; an empty list takes the marks away
//   board.addEventListener("place", event => event.detail)   a place was clicked, or chosen by Enter
//
// The picture lives in a shadow root with a sheet of its own, so that its classes and those of the page never meet.
const SVG = "http://www.w3.org/2000/svg";
const OWN_STYLE = `
  :host { display: block; }
  svg { display: block; margin: 0 auto; width: var(--board-width, 100%); height: var(--board-height, auto); max-width: var(--board-widest, none);
    max-height: var(--tallest, none); background: #fff; border-radius: 6px; user-select: none; }
  .choice { cursor: pointer; }
  .choice > :first-child { stroke: #c2185b; stroke-width: 4px; }
  .choice:hover, .choice:focus { filter: brightness(1.12); outline: 3px solid #c2185b; }
  @media (prefers-reduced-motion: no-preference) {
    .fresh { animation: fresh 320ms ease-out; }
    @keyframes fresh { from { opacity: 0.25; } }
  }`;

export class Board extends EventTarget {
  constructor(host, picture, parts) {
    super();
    this.parts = parts;
    this.positions = [];
    this.titles = [];
    this.shown = [];
    this.index = -1;
    this.marked = new Map();
    this.made = new Map();
    this.#build(host, picture);
  }

  get length() {
    return this.positions.length;
  }

  append(frame) {
    const slots = (this.positions.at(-1) ?? []).slice();
    const changes = frame.parts ?? [];
    for (let at = 0; at < changes.length; at += 2) slots[changes[at]] = changes[at + 1];
    this.positions.push(slots);
    this.titles.push(frame.title ?? this.titles.at(-1) ?? "");
  }

  show(index) {
    const slots = this.positions[index];
    const isStep = index === this.index + 1;
    for (let slot = 0; slot < slots.length; slot++) {
      if (this.shown[slot] !== slots[slot]) this.#put(slot, slots[slot], isStep);
    }
    for (const node of this.nodes.splice(slots.length)) node.remove();
    this.shown = slots;
    this.index = index;
    this.picture.setAttribute("aria-label", this.titles[index]);
  }

  cut(length) {
    this.positions.length = this.titles.length = length;
  }

  mark(ids, labelOf = (id) => id) {
    this.marked = new Map(ids.map((id) => [id, labelOf(id)]));
    this.picture.setAttribute("role", ids.length ? "group" : "img"); // what can be chosen is no part of an image
    for (const node of this.picture.querySelectorAll("[data-place]")) this.#markOne(node);
  }

  #build(host, picture) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(picture.style + OWN_STYLE);
    root.adoptedStyleSheets = [sheet];
    this.picture = document.createElementNS(SVG, "svg");
    this.picture.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
    this.picture.setAttribute("role", "img");
    const defs = document.createElementNS(SVG, "defs");
    defs.innerHTML = picture.defs;
    this.picture.append(defs);
    root.replaceChildren(this.picture);
    this.nodes = [];
    this.picture.addEventListener("click", (event) => this.#choose(event));
    this.picture.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.#choose(event);
    });
  }

  #put(slot, part, isStep) {
    const node = this.#make(part);
    if (isStep) node.classList.add("fresh");
    this.#markOne(node);
    if (this.nodes[slot]) this.nodes[slot].replaceWith(node);
    else this.picture.append(node);
    this.nodes[slot] = node;
  }

  #make(part) {
    if (!this.made.has(part)) {
      const holder = document.createElementNS(SVG, "g");
      holder.innerHTML = this.parts[part];
      this.made.set(part, holder.firstElementChild ?? holder);
    }
    return this.made.get(part).cloneNode(true);
  }

  #markOne(node) {
    if (!node.dataset.place) return;
    const isChoice = this.marked.has(node.dataset.place);
    node.classList.toggle("choice", isChoice);
    for (const [name, value] of [["tabindex", "0"], ["role", "button"], ["aria-label", this.marked.get(node.dataset.place)]]) {
      if (isChoice) node.setAttribute(name, value);
      else node.removeAttribute(name);
    }
  }

  #choose(event) {
    const place = event.target.closest("[data-place]")?.dataset.place;
    if (!place) return;
    if (event.type === "keydown" && this.marked.has(place)) event.preventDefault();
    this.dispatchEvent(new CustomEvent("place", { detail: place }));
  }
}

// The positions of a match as they were told, shown one after another so that what others do can be followed.
//
//   course.begin(board)      anew, with the position as it is
//   course.append(moves)     what was played since; each is shown for a moment, others' moves above all
//   course.preview(board)    what would come of a choice; null shows the position as it is
//   course.look(ply)         a past position; null goes back to that of now
// Events: "shown" (detail: the move that is shown, or null), "settled" (all is shown), "place" (clicked on the board).
import { Board } from "./board.js";

const LONGEST_MS = 1100;
const SHORTEST_MS = 120;
const ALL_MS = 7000;

export class Course extends EventTarget {
  constructor(host, text, own) {
    super();
    Object.assign(this, { host, text, own });
    this.queue = [];
    this.isPreview = false;
    this.isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  begin(board) {
    clearTimeout(this.timer);
    this.queue = [];
    this.board = null;
    this.texts = [];
    this.known = new Map();
    this.parts = [];
    this.byPly = new Map();
    this.isPreview = false;
    this.isPast = false;
    if (board) this.#take(board);
    this.#show(this.last);
  }

  get isBusy() {
    return this.queue.length > 0;
  }

  get last() {
    return (this.board ? this.board.length : this.texts.length) - 1;
  }

  get places() {
    const nodes = this.board?.picture.querySelectorAll("[data-place]") ?? [];
    return new Set([...nodes].map((node) => node.dataset.place));
  }

  append(moves) {
    if (!moves.length) return;
    if (this.isPreview) this.preview(null);
    this.look(null);
    const wasBusy = this.isBusy;
    for (const move of moves) {
      if (move.board) this.#take(move.board);
      this.byPly.set(move.ply, this.last);
      this.queue.push({ move, at: this.last });
    }
    const waiting = this.queue.filter(({ move }) => !this.own.includes(move.seat)).length;
    this.pace = this.isStill ? 0 : Math.max(SHORTEST_MS, Math.min(LONGEST_MS, ALL_MS / Math.max(waiting, 1)));
    if (!wasBusy) this.#next();
  }

  // Show everything that waits at once.
  hurry() {
    clearTimeout(this.timer);
    const last = this.queue.at(-1);
    this.queue = [];
    if (last) this.#tell(last);
    this.dispatchEvent(new Event("settled"));
  }

  preview(board) {
    if (this.isPreview) this.#drop();
    this.isPreview = Boolean(board);
    if (board) this.#take(board);
    this.#show(this.last);
  }

  look(ply) {
    this.isPast = ply !== null && this.byPly.has(ply);
    this.#show(this.isPast ? this.byPly.get(ply) : this.last);
  }

  mark(ids, label) {
    this.board?.mark(this.isPast || this.isBusy ? [] : ids, label);
  }

  #next() {
    while (this.queue.length) {
      const { move } = this.queue[0];
      this.#tell(this.queue.shift());
      const isLast = !this.queue.length;
      if (this.own.includes(move.seat) || !this.pace || isLast) continue;
      this.queue.unshift({ move: null, at: null }); // busy until its time is over
      this.timer = setTimeout(() => {
        this.queue.shift();
        this.#next();
      }, this.pace);
      return;
    }
    this.dispatchEvent(new Event("settled"));
  }

  #tell({ move, at }) {
    if (at !== null) this.#show(at);
    if (move) this.dispatchEvent(new CustomEvent("shown", { detail: move }));
  }

  #take({ frame, changes, title, text }) {
    if (frame && !this.board) {
      this.board = new Board(this.host, frame, this.parts);
      this.host.style.maxWidth = `calc((100vh - 104px) * ${frame.width / frame.height})`;
      this.board.addEventListener("place", (event) => this.dispatchEvent(new CustomEvent("place", { detail: event.detail })));
    }
    if (!this.board || !changes) return this.texts.push(text ?? "");
    const numbered = changes.map((item, at) => (at % 2 ? this.#number(item) : item));
    this.board.append({ parts: numbered, title });
  }

  #drop() {
    if (this.board) this.board.cut(this.board.length - 1);
    else this.texts.pop();
  }

  #number(part) {
    if (!this.known.has(part)) this.known.set(part, this.parts.push(part) - 1);
    return this.known.get(part);
  }

  #show(at) {
    this.host.hidden = !this.board;
    this.text.hidden = Boolean(this.board) || !this.texts[at];
    this.text.textContent = this.texts[at] ?? "";
    if (this.board && at >= 0) this.board.show(at);
  }
}

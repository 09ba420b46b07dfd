// The replay viewer: board, clocks, moves, graph and scoring of one match, stepped by keys, slider, swipe and clicks.
//
//   const viewer = new Viewer(root, story)   `root` is made by templates/viewing/viewer.html; `story` as frames.json
//   viewer.show(index)                       a position; those behind the last frame are the steps of the scoring
//   viewer.append(frame, parts)              one more frame of a match that goes on, and parts that its table lacks
//   viewer.finish(end)                       how it ended
//   viewer.board                             its board, for those who choose places on it
import { Board } from "./board.js";
import { Graph } from "./graph.js";
import { Moves } from "./moves.js";
import { Scoring } from "./scoring.js";
import { Seats } from "./seats.js";
import { dice, fill, make } from "./telling.js";

const SWIPE_PX = 40;
const LINK_MS = 300;
const MOST_BEFORE = 4; // actions of the same turn that are told before the one that is shown

// A line where there is room; those who hear the page have it in the list of moves and as the label of the board.
function aside(kind, text) {
  const line = make("p", `aside-line ${kind}`, text);
  line.setAttribute("aria-hidden", "true");
  return line;
}

export class Viewer extends EventTarget {
  constructor(root, story) {
    super();
    this.root = root;
    this.story = { ...story, frames: [] };
    this.words = JSON.parse(root.dataset.words);
    this.index = -1;
    this.listening = new AbortController();
    this.#build(story);
    for (const frame of story.frames) this.#take(frame);
    if (story.end) this.#end(story.end);
    this.#measure();
    this.#listen();
  }

  get last() {
    return this.story.frames.length - 1;
  }

  get total() {
    return this.last + this.scoring.steps;
  }

  part(name) {
    return this.root.querySelector(`[data-part="${name}"]`);
  }

  append(frame, parts = []) {
    const isAtEnd = this.index >= this.last;
    this.story.parts.push(...parts);
    this.#take(frame);
    this.#measure();
    this.show(isAtEnd ? this.last : this.index);
  }

  finish(end) {
    const isAtEnd = this.index >= this.last;
    for (const fault of end.faults) this.#blame(fault);
    this.#end(end);
    this.#measure();
    this.show(isAtEnd ? this.last : this.index);
  }

  show(index) {
    const wanted = Math.max(0, Math.min(index, this.total));
    const frame = this.story.frames[Math.min(wanted, this.last)];
    if (this.board) this.board.show(frame.at);
    else this.part("text").textContent = frame.text ?? "";
    this.index = wanted;
    this.root.dataset.index = wanted;
    this.seats.show(frame, frame.at === this.last ? this.story.end : null);
    this.moves.show(frame.at);
    this.graph.show(wanted);
    this.scoring.show(wanted - this.last);
    this.#tell(frame);
    this.part("slider").value = wanted;
    this.part("slider").setAttribute("aria-valuetext", this.part("place").textContent);
    this.#link();
    this.dispatchEvent(new CustomEvent("shown", { detail: wanted }));
  }

  step(by) {
    this.show(this.index + by);
  }

  turn(by) {
    const key = (at) => this.story.frames[at].turn ?? this.story.frames[at].decider;
    let at = Math.min(this.index, this.last);
    const from = key(at);
    if (by > 0) {
      while (at < this.last && key(at) === from) at++;
      return this.show(at === this.index ? this.total : at);
    }
    if (at > 0) at--;
    while (at > 0 && key(at) === key(at - 1)) at--;
    return this.show(at);
  }

  play(isPlaying = !this.playing) {
    clearInterval(this.timer);
    if (isPlaying && this.index >= this.total) this.show(0);
    this.playing = isPlaying;
    this.part("play").setAttribute("aria-pressed", String(isPlaying));
    if (!isPlaying) return;
    this.timer = setInterval(() => {
      this.step(1);
      if (this.index >= this.total && this.story.end) this.play(false);
    }, 1000 / Number(this.part("speed").value));
  }

  close() {
    this.play(false);
    clearTimeout(this.linking);
    this.listening.abort();
  }

  #build(story) {
    const board = this.part("board");
    board.hidden = !story.picture;
    this.part("text").hidden = Boolean(story.picture);
    this.board = story.picture && new Board(board, story.picture, this.story.parts);
    this.seats = new Seats(this.part("seats"), this.story, this.words, this.root.dataset.bots);
    this.part("moves").replaceChildren();
    this.moves = new Moves(this.part("moves"), this.story, this.words, (at) => this.show(at));
    this.graph = new Graph(this.part("graph"), story.colours, this.words.value);
    this.scoring = new Scoring(this.part("scoring"), this.story, this.words);
    this.part("ticks").replaceChildren();
  }

  #take(frame) {
    const before = this.story.frames.at(-1);
    frame.at = this.story.frames.length;
    this.story.frames.push(frame);
    this.board?.append(frame);
    this.graph.append(frame);
    this.moves.append(frame, frame.at, before);
  }

  #blame(fault) {
    const frame = this.story.frames[Math.min(Math.max(fault.ply, 0) + 1, this.last)];
    frame.faults = [fault];
    this.graph.faults.push(frame.at);
    this.moves.replace(frame, frame.at);
  }

  #end(end) {
    this.story.end = end;
    this.scoring.take(end.scoring);
  }

  #measure() {
    const slider = this.part("slider");
    slider.max = this.total;
    const faulty = this.story.frames.filter((frame) => frame.faults);
    const ticks = faulty.map((frame) => {
      const tick = make("i", "tick");
      tick.style.left = `${(100 * frame.at) / Math.max(this.total, 1)}%`;
      return tick;
    });
    this.part("ticks").replaceChildren(...ticks);
    this.graph.draw(this.total);
    this.part("graph").hidden = this.graph.isEmpty;
  }

  #tell(frame) {
    const values = { ply: frame.at, last: this.last, turn: (frame.turn ?? 0) + 1 };
    const place = fill(frame.turn === undefined ? this.words.place : this.words.place_turn, values);
    const step = this.index - this.last;
    this.part("place").textContent = step > 0 ? `${place} · ${fill(this.words.scored, { step, steps: this.scoring.steps })}` : place;
    const bot = frame.seat === undefined ? this.words.start : this.story.seats[frame.seat];
    const told = (frame.words ?? []).map((sentence) => make("p", "", sentence));
    const before = this.#turnSoFar(frame).map((one) => aside("", one.words.join(" ")));
    const standing = aside("standing", this.#standing(frame));
    this.part("now").replaceChildren(make("b", "", bot), ...before, ...told, dice(frame.chance) ?? "", standing);
  }

  // What the same seat did before in the same turn.
  #turnSoFar(frame) {
    const { frames } = this.story;
    let first = frame.at;
    const isSame = (one) => one.turn === frame.turn && one.seat === frame.seat;
    while (first > 1 && frame.at - first < MOST_BEFORE && isSame(frames[first - 1])) first--;
    return frames.slice(first, frame.at).filter((one) => one.words);
  }

  // The position in words, as who hears the page is told it: the round, who decides what.
  #standing(frame) {
    const title = this.board?.titles[frame.at] ?? "";
    const game = `${this.story.title} · `;
    return title.startsWith(game) ? title.slice(game.length) : title;
  }

  #link() {
    clearTimeout(this.linking);
    const hash = `#${this.root.dataset.link ?? ""}ply=${this.index}`;
    this.part("link").setAttribute("href", hash);
    const before = location.hash; // an address that somebody asks for meanwhile stays
    this.linking = setTimeout(() => {
      if (location.hash === before && before !== hash) history.replaceState(history.state, "", hash);
    }, LINK_MS);
  }

  #listen() {
    const { signal } = this.listening;
    const on = (target, kind, act) => target.addEventListener(kind, act, { signal });
    on(this.part("slider"), "input", (event) => this.show(Number(event.target.value)));
    on(this.part("speed"), "change", () => this.playing && this.play(true));
    on(this.graph, "seek", (event) => this.show(event.detail));
    on(document, "keydown", (event) => this.#press(event));
    const acts = this.#acts();
    for (const button of this.root.querySelectorAll("button[data-do]")) on(button, "click", acts[button.dataset.do]);
    let from = null;
    const board = this.part("board");
    on(board, "touchstart", (event) => (from = event.touches.length === 1 ? event.touches[0] : null));
    on(board, "touchend", (event) => {
      const way = from ? event.changedTouches[0].clientX - from.clientX : 0;
      if (Math.abs(way) > SWIPE_PX) this.step(way < 0 ? 1 : -1);
    });
  }

  #acts() {
    return {
      first: () => this.show(0),
      turn_back: () => this.turn(-1),
      back: () => this.step(-1),
      play: () => this.play(),
      next: () => this.step(1),
      turn_next: () => this.turn(1),
      last: () => this.show(this.total),
    };
  }

  #press(event) {
    const keys = {
      ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", PageUp: "turn_back", PageDown: "turn_next",
      " ": "play",
    };
    const isTyping = event.target.closest?.("input:not([type=range]), select, textarea, dialog");
    const isPressing = event.key === " " && event.target.closest?.("button, a, summary");
    const act = this.#acts()[keys[event.key]];
    if (!act || isTyping || isPressing || event.defaultPrevented) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act();
  }
}

// The position that an address names: `#ply=12`, or the end.
export function wanted(viewer, hash = location.hash) {
  const found = /(?:^|[#&])ply=(\d+)/.exec(hash);
  return found ? Number(found[1]) : viewer.total;
}

// What a person may do: marks on the board, steps and whole actions beside it, and the way back until it is sent.
//
// A choice may have several steps (a region, then what is done there), and a turn several choices. The server looks
// ahead: as long as the same seat goes on deciding, nothing is sent, and every step can be taken back.
import { Path } from "./path.js";
import { fill, make } from "./telling.js";

const KEPT = "kma.play.ask";

export class Choices {
  // `ask(form)` sends a choice, or looks ahead, and returns what comes of it; null if it was refused, or if it was sent,
  // and then the question is taken away before. `course` shows the positions.
  constructor(root, words, course, ask) {
    Object.assign(this, { root, words, course, ask });
    this.stack = [];
    this.path = null;
    this.isAsking = false;
    this.holdsFocus = false;
    this.first = root.querySelector("#ask-first");
    const kept = this.#remembered();
    this.first.checked = kept === null ? matchMedia("(pointer: coarse)").matches : kept === "yes";
    this.first.addEventListener("change", () => this.#remember());
    this.part("back").addEventListener("click", () => this.back());
    this.part("send").addEventListener("click", () => this.#send("send"));
    course.addEventListener("place", (event) => this.step(event.detail));
  }

  part(name) {
    return this.root.querySelector(`#${name}`);
  }

  // A question, or null when there is none.
  begin(asked) {
    this.asked = asked;
    this.stack = asked ? [{ choices: asked, words: [], label: "" }] : [];
    this.path = asked ? new Path(asked.actions) : null;
    this.offer();
  }

  get planned() {
    return this.stack.slice(1).map((one) => one.id);
  }

  get isWhole() {
    return Boolean(this.stack.length) && this.stack.at(-1).choices === null;
  }

  step(id) {
    if (!this.path?.next.has(id) || this.isAsking) return;
    this.path.step(id);
    if (this.path.action) this.choose(this.path.action);
    else this.offer();
  }

  async choose(action) {
    if (this.isAsking) return;
    this.stack.push({ ...action, choices: null, words: [] });
    await this.#send(this.first.checked ? "look" : "plan");
  }

  back() {
    if (this.isAsking || !this.stack.length) return;
    if (this.path?.steps.length) this.path.undo();
    else if (this.stack.length > 1) this.#pop();
    this.offer();
  }

  // Nothing may be chosen any more.
  stop() {
    this.begin(null);
  }

  async #send(mode) {
    const { asked } = this;
    this.isAsking = true;
    this.path = null;
    this.offer(); // nothing is chosen twice
    const answer = await this.ask({ ply: asked.ply, action: this.planned.join(","), mode });
    this.isAsking = false;
    if (this.asked !== asked) return this.offer(); // it is answered, or the match went on before the answer came
    if (answer === null) this.#pop();
    else this.#look(answer);
    this.offer();
  }

  #look({ board, words, choices }) {
    Object.assign(this.stack.at(-1), { board, words, choices });
    this.course.preview(board);
    this.path = choices && new Path(choices.actions);
  }

  #pop() {
    this.stack.pop();
    const { board, choices } = this.stack.at(-1);
    this.course.preview(board ?? null);
    this.path = new Path(choices.actions);
  }

  offer() {
    const panel = this.part("choices");
    this.holdsFocus ||= panel.contains(document.activeElement);
    const marked = this.mark();
    const label = (id) => this.label(id);
    // A step that is a whole action stands in the list below.
    const others = this.path ? [...this.path.next].filter((id) => this.path.whole(id) === null && !marked.has(id)) : [];
    this.part("steps").replaceChildren(...others.map((id) => button(label(id), () => this.step(id))));
    const items = this.path ? this.path.open.map((action) => make("li", "", button(action.label, () => this.choose(action)))) : [];
    this.part("actions").replaceChildren(make("ul", "play-actions", ...items));
    panel.hidden = !this.path;
    this.#hint();
    if (this.holdsFocus && (this.path || this.isWhole) && !this.isAsking) {
      this.holdsFocus = false; // whoever plays by keys goes on where the last choice was made
      (this.path ? panel.querySelector("button") : this.part("send")).focus({ preventScroll: true });
    }
  }

  // Mark what can be chosen on the board; returns the ids of all places there.
  mark() {
    const places = this.course.places;
    this.course.mark(this.path ? [...this.path.next].filter((id) => places.has(id)) : [], (id) => this.label(id));
    return places;
  }

  label(id) {
    return this.stack.at(-1)?.choices?.labels[id] ?? this.path?.whole(id) ?? id;
  }

  #hint() {
    const steps = [...this.stack.slice(1).map((one) => one.label), ...(this.path?.steps ?? []).map((id) => this.label(id))];
    const isWhole = this.isWhole && !this.isAsking;
    const text = isWhole ? this.words.send_sure : steps.length ? this.words.choose_more : this.words.choose_place;
    this.part("hint").textContent = this.path || isWhole ? fill(text, { step: steps.join(" › ") }) : "";
    this.part("back").hidden = !steps.length || this.isAsking;
    this.part("send").hidden = !isWhole;
    this.part("ways").hidden = this.part("back").hidden && !isWhole;
  }

  #remembered() {
    try {
      return localStorage.getItem(KEPT);
    } catch {
      return null;
    }
  }

  #remember() {
    try {
      localStorage.setItem(KEPT, this.first.checked ? "yes" : "no");
    } catch {
      // without storage it holds for this page
    }
  }
}

function button(text, act) {
  const made = make("button", "", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

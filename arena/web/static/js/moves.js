// The list of moves: a row for each ply, in words beside the notation, with dice, notes, times and faults.
import { chip, dice, fill, formatTime, make } from "./telling.js";

export class Moves {
  constructor(list, story, words, onChosen) {
    Object.assign(this, { list, story, words });
    this.rows = [];
    list.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-at]");
      if (!link) return;
      event.preventDefault();
      onChosen(Number(link.dataset.at));
    });
  }

  append(frame, index, before) {
    const row = make("li", "ply");
    if (before && frame.turn !== undefined && frame.turn !== before.turn) row.classList.add("new-turn");
    const link = make("a", "", make("span", "number", index));
    link.href = `#ply=${index}`;
    link.dataset.at = index;
    if (frame.seat === undefined) link.append(make("span", "words", this.words.start));
    else link.append(chip(this.story, frame.seat), this.#words(frame));
    row.append(link);
    this.list.append(row);
    this.rows.push(row);
  }

  replace(frame, index) {
    const faults = this.#faults(frame);
    if (faults) this.rows[index].querySelector("a").append(faults);
  }

  show(index) {
    this.current?.removeAttribute("aria-current");
    const row = this.rows[Math.min(index, this.rows.length - 1)];
    this.current = row.firstElementChild;
    this.current.setAttribute("aria-current", "step");
    const [list, place] = [this.list, row.offsetTop]; // the list is what its rows are placed in
    const isSeen = place >= list.scrollTop && place + row.offsetHeight <= list.scrollTop + list.clientHeight;
    if (!isSeen) list.scrollTop = place - list.clientHeight / 2;
  }

  #words(frame) {
    const told = make("span", "words", (frame.words ?? []).join(" "), " ", dice(frame.chance));
    const code = make("code", "", frame.action ?? "");
    const by = frame.by && frame.by !== "bot" ? make("small", "", this.words[`by_${frame.by}`] ?? frame.by) : null;
    const time = frame.elapsed_us === undefined ? null : make("small", "time", formatTime(frame.elapsed_us));
    const note = frame.note ? make("q", "said", frame.note) : null;
    return make("span", "told", told, make("span", "aside", code, by, time), note, this.#faults(frame));
  }

  #faults(frame) {
    if (!frame.faults) return null;
    const told = frame.faults.map((fault) => {
      const bot = this.story.seats[fault.seat];
      const cause = this.words[`fault_${fault.cause.toLowerCase()}`] ?? fault.cause;
      return make("span", "fault", fill(this.words.fault, { bot, cause }), make("small", "", fault.explanation));
    });
    return make("span", "faults", ...told);
  }
}

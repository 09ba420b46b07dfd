// Who sits where: mark, name, rank, clock, the value of the position, and what the bot said last.
import { formatClock, formatTime, make, mark } from "./telling.js";

export class Seats {
  constructor(list, story, words, bots) {
    Object.assign(this, { story, words });
    this.rows = story.seats.map((name, seat) => this.#row(name, seat, bots));
    list.replaceChildren(...this.rows.map((row) => row.item));
  }

  show(frame, end) {
    for (const [seat, row] of this.rows.entries()) {
      row.item.classList.toggle("decides", frame.decider === seat && !end);
      row.item.classList.toggle("acted", frame.seat === seat);
      row.value.textContent = frame.values ? `${Math.round(frame.values[seat] / 10)} %` : "";
      row.clock.textContent = this.#clock(frame, seat);
      row.rank.textContent = end?.ranks[seat] ? `${end.ranks[seat]}.` : "";
      const note = this.#note(frame, seat);
      row.note.textContent = note;
      row.note.hidden = !note;
    }
  }

  #row(name, seat, bots) {
    const [rank, value, clock, note] = [make("b", "rank"), make("span", "value"), make("span", "clock"), make("q", "said")];
    value.title = this.words.value;
    clock.title = this.words.clock;
    const called = bots ? make("a", "name", name) : make("span", "name", name);
    if (bots) called.href = bots + name;
    const letter = make("span", "letter", String.fromCharCode(65 + seat)); // as boards and words call a seat
    const line = make("span", "line", letter, rank, mark(this.story.marks[seat]), called, value, clock);
    return { item: make("li", "seat", line, note), rank, value, clock, note };
  }

  #clock(frame, seat) {
    if (frame.remaining_us) return formatClock(frame.remaining_us[seat]);
    const { frames } = this.story;
    for (let at = frame.at; at >= 0; at--) {
      if (frames[at].seat === seat && frames[at].elapsed_us !== undefined) return formatTime(frames[at].elapsed_us);
    }
    return "";
  }

  // What a bot said with its last answer stays until it answers again.
  #note(frame, seat) {
    const { frames } = this.story;
    for (let at = frame.at; at >= 0; at--) {
      if (frames[at].seat === seat && frames[at].elapsed_us !== undefined) return frames[at].note ?? "";
    }
    return "";
  }
}

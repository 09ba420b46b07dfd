// Who sits where: mark, name, rank, clock, the value of the position, and what the bot said last.
import { chip, formatClock, formatTime, make, mark } from "./telling.js";

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
      row.bar.style.width = `${(frame.values?.[seat] ?? 0) / 10}%`;
      row.clock.textContent = this.#clock(frame, seat);
      row.rank.textContent = end?.ranks[seat] ? `${end.ranks[seat]}.` : "";
      const note = this.#note(frame, seat);
      row.note.textContent = note;
      row.note.hidden = !note;
      row.note.title = note;
    }
  }

  #row(name, seat, bots) {
    const [rank, value, clock, note] = [make("b", "rank"), make("span", "value"), make("span", "clock"), make("q", "said")];
    const bar = make("i");
    value.title = this.words.value;
    clock.title = this.words.clock;
    bar.style.background = this.story.colours[seat];
    const called = bots ? make("a", "name", name) : make("span", "name", name);
    if (bots) called.href = bots + name;
    const house = this.story.called?.[seat] ?? ""; // a letter says no more than the chip does
    const where = house.length > 1 && house !== name ? make("small", "house", house) : null;
    const sign = chip(this.story, seat);
    const line = make("span", "line", sign, rank, mark(this.story.marks[seat]), called, where, value, clock);
    return { item: make("li", "seat", line, make("span", "share", bar), note), rank, value, clock, note, bar };
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

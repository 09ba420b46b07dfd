// Gives back the matches that arena/web/report/packing.py packed, each as the viewer takes it, in their order.
import { Decoder, situation } from "./decoding.js";
import { Pictures } from "./unpack_drawn.js";
import { FIELDS, Source, Texts } from "./unpack_texts.js";

const SEATS = 1 << 10;
const MOVED = 12;

export class Packed {
  constructor(tables, bytes) {
    this.tables = tables;
    this.coder = new Decoder(bytes, tables.size);
    this.texts = new Texts(this.coder);
    this.pictures = new Pictures(this.coder, this.texts);
    this.throws = new Map();
  }

  // Every match as the viewer takes it, in their order; between them nothing now and then, so that others get a turn.
  *stories() {
    for (const head of this.tables.matches) {
      const frames = [], before = { decider: -1, last: 0, earlier: 0, words: 0, elapsed: new Map(), remaining: null, values: null, steps: [], turn: 0 };
      this.pictures.begin();
      for (let at = 0; at < head.frames; at++) {
        frames.push(this.#frame(head, before));
        if (at % 16 === 15) yield null;
      }
      yield this.#story(head, frames);
    }
  }

  #frame(head, before) {
    const { coder, texts } = this, { last, earlier } = before;
    const seat = this.#small(FIELDS.SEAT, [situation(FIELDS.SEAT, before.decider, last), situation(FIELDS.SEAT + 1, before.decider)]) - 1;
    const action = texts.read(FIELDS.ACTION, [
      situation(FIELDS.ACTION, seat, last, earlier, before.words),
      situation(FIELDS.ACTION + 1, seat, last, earlier),
      situation(FIELDS.ACTION + 2, seat, last),
      situation(FIELDS.ACTION + 3, last),
    ]);
    const by = texts.read(FIELDS.BY, [situation(FIELDS.BY, seat, action, last), situation(FIELDS.BY + 1, seat)]);
    const { chance, thrown, source } = this.#throw(seat, action);
    const event = seat * SEATS + action;
    const words = this.#say(event, action, thrown, before, source);
    const frame = { seat, action, by, chance, words };
    const elapsed = coder.number(situation(FIELDS.ELAPSED, by, before.elapsed.get(seat) ?? 0));
    if (elapsed) before.elapsed.set(seat, 32 - Math.clz32(elapsed));
    frame.elapsed = elapsed;
    const seats = head.seats.map((_, at) => at);
    [frame.remaining] = this.#differ(FIELDS.LEFT, before.remaining, seats.map((at) => Number(at === seat)));
    before.remaining = frame.remaining ?? before.remaining;
    frame.note = texts.read(FIELDS.NOTE, [situation(FIELDS.NOTE, seat)]);
    const decider = this.#small(FIELDS.DECIDER, [
      situation(FIELDS.DECIDER, event, last, before.decider),
      situation(FIELDS.DECIDER + 1, event, before.decider),
      situation(FIELDS.DECIDER + 2, event),
    ]) - 1;
    if (coder.bit(situation(FIELDS.TURN, -1))) {
      frame.turn = before.turn += coder.number(situation(FIELDS.TURN, event, Number(decider === before.decider)));
    }
    frame.decider = before.decider = decider;
    const seen = seats.map((at) => Math.min(Math.abs(before.steps[at] ?? 0), 4) * 2 + Number(at === seat));
    [frame.values, before.steps] = this.#differ(FIELDS.WORTH, before.values, seen);
    before.values = frame.values ?? before.values;
    frame.text = texts.read(FIELDS.TEXT, [situation(FIELDS.TEXT, 0)]);
    Object.assign(before, { last: action, earlier: last });
    const whole = words.map((word) => texts.text(word)).join(" ");
    const told = { event, action, words: before.words, whole: texts.know(whole), source: new Source(texts.wordsOf(whole)) };
    frame.parts = this.pictures.read(told);
    return frame;
  }

  #throw(seat, action) {
    const { coder, texts } = this, chance = [];
    const count = this.#small(FIELDS.THROWS, [situation(FIELDS.THROWS, seat, action), situation(FIELDS.THROWS + 1, action)]);
    for (let place = 0; place < count; place++) {
      const kind = texts.read(FIELDS.KIND, [situation(FIELDS.KIND, action)]);
      const length = this.#small(FIELDS.COUNT, [situation(FIELDS.COUNT, seat, action, place), situation(FIELDS.COUNT + 1, action)]);
      const values = Array.from({ length }, () => coder.number(situation(FIELDS.CHANCE, kind)));
      chance.push([texts.text(kind), values]);
    }
    const key = JSON.stringify(chance);
    if (!this.throws.has(key)) this.throws.set(key, this.throws.size);
    const said = chance.flatMap(([, values]) => values.map((value) => ` ${value}`)).join("");
    return { chance, thrown: this.throws.get(key), source: new Source(texts.wordsOf(said)) };
  }

  #say(event, action, thrown, before, source) {
    const keys = [situation(FIELDS.SAID, event, thrown), situation(FIELDS.SAID + 1, action, thrown), situation(FIELDS.SAID + 2, action)];
    const count = this.#small(FIELDS.SAID, keys), words = [];
    for (let place = 0; place < count; place++) {
      before.words = this.texts.read(FIELDS.WORDS, [
        situation(FIELDS.WORDS, event, thrown, place, before.words),
        situation(FIELDS.WORDS + 1, event, thrown, place),
        situation(FIELDS.WORDS + 2, event, place, before.words),
        situation(FIELDS.WORDS + 3, event, place),
      ], source, action);
      words.push(before.words);
    }
    return words;
  }

  #differ(kind, before, seen) {
    if (!this.coder.bit(situation(kind, -1))) return [null, []];
    const row = [], steps = [];
    let moved = 0, rest = 0;
    for (let at = 0; at < seen.length; at++) {
      const isLast = at === seen.length - 1 && moved > 0;
      const told = this.coder.number(situation(kind + 1, seen[at], Math.min(moved, MOVED), Number(isLast)));
      const step = isLast ? told + rest : told;
      moved += Math.abs(step);
      rest -= step;
      steps.push(step);
      row.push(step + (before?.[at] ?? 0));
    }
    return [row, steps];
  }

  #small(kind, keys) {
    return this.coder.guessed(kind, keys, () => this.coder.number(situation(kind + 7, 0)));
  }

  #story(head, frames) {
    const parts = [], numbers = new Map(), { texts } = this;
    const put = (part) => {
      if (!numbers.has(part)) numbers.set(part, parts.push(this.pictures.text(part)) - 1);
      return numbers.get(part);
    };
    const told = frames.map((frame, at) => {
      const found = {
        seat: frame.seat >= 0 ? frame.seat : null,
        action: texts.text(frame.action) || null,
        words: frame.words.length ? frame.words.map((word) => texts.text(word)) : null,
        chance: frame.chance.length ? frame.chance : null,
        by: texts.text(frame.by) || null,
        elapsed_us: frame.elapsed ? 1000 * (frame.elapsed - 1) : null,
        remaining_us: frame.remaining?.map((tenths) => tenths * 1e5),
        note: texts.text(frame.note) || null,
        turn: frame.turn,
        values: frame.values?.map((hundredths) => 10 * hundredths),
        text: texts.text(frame.text) || null,
        faults: head.faults[at],
      };
      const filled = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null && value !== undefined));
      const changes = Array.from(frame.parts, (value, place) => (place % 2 ? put(value) : value));
      return { ...filled, decider: frame.decider >= 0 ? frame.decider : null, parts: changes };
    });
    told[0].title = head.title;
    return { ...head, picture: this.tables.pictures[head.picture] ?? null, parts, frames: told };
  }
}

// Gives back the matches that arena/web/report/packing.py packed, each as the viewer takes it, in their order.
export class Packed {
  constructor(tables, columns) {
    Object.assign(this, { tables, columns });
    this.slots = new Map();
    this.anywhere = new Map();
    this.stories = [];
  }

  // What slots showed is remembered from match to match, so that all matches before are unpacked first.
  story(number) {
    while (this.stories.length <= number) this.stories.push(this.#unpack(this.tables.matches[this.stories.length]));
    return this.stories[number];
  }

  #unpack(head) {
    this.at = head.at;
    const names = ["events", "elapsed", "remaining", "notes", "deciders", "turns", "values", "texts", "counts", "places",
      "kinds", "details"];
    const columns = Object.fromEntries(names.map((name) => [name, new Column(this.#column())]));
    const parts = new Parts();
    const story = { ...head, picture: this.tables.pictures[head.picture] ?? null, parts: parts.texts, frames: [] };
    let before = null;
    for (let at = 0; at < columns.events.length; at++) {
      before = this.#frame(columns, head, before, parts);
      if (head.faults[at]) before.faults = head.faults[at];
      story.frames.push(before);
    }
    story.frames[0].title = head.title;
    return story;
  }

  #frame(columns, head, before, parts) {
    const event = columns.events.next();
    const frame = this.#event(event);
    const elapsed = columns.elapsed.next();
    if (elapsed) frame.elapsed_us = 1000 * (elapsed - 1);
    const left = columns.remaining.row(head.seats.length, before?.remaining_us?.map((us) => us / 1e5));
    if (left) frame.remaining_us = left.map((tenths) => tenths * 1e5);
    const note = columns.notes.next();
    if (note) frame.note = this.tables.strings[note - 1];
    const decider = columns.deciders.next();
    frame.decider = decider ? decider - 1 : null;
    const turn = columns.turns.row(1, before && [before.turn]);
    if (turn) frame.turn = turn[0];
    const values = columns.values.row(head.seats.length, before?.values?.map((value) => value / 10));
    if (values) frame.values = values.map((hundredths) => 10 * hundredths);
    if (columns.texts.length) frame.text = this.tables.strings[columns.texts.next()];
    frame.parts = this.#changes(columns, event, parts);
    return frame;
  }

  #event(number) {
    const [seat, action, by, chance, words] = this.tables.events[number];
    const told = { seat, action, by, chance, words: words.length ? words.map((word) => this.tables.strings[word]) : null };
    return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null));
  }

  #changes(columns, event, parts) {
    const changes = [];
    let place = 0;
    for (let count = columns.counts.next(); count > 0; count--) {
      place += columns.places.next();
      if (!this.slots.has(place)) this.slots.set(place, { now: null, past: null, byEvent: new Map(), known: new Map() });
      const part = this.#change(this.slots.get(place), event, columns);
      changes.push(place, parts.number(part, () => this.#text(part)));
    }
    return changes;
  }

  #change(slot, event, columns) {
    const kind = columns.kinds.next();
    const part = kind === 0 ? slot.past : kind === 1 ? slot.byEvent.get(event) : this.#filled(slot, kind - 2, columns);
    slot.past = slot.now;
    slot.now = part;
    slot.byEvent.set(event, part);
    slot.known.set(part.template, part);
    this.anywhere.set(part.template, part);
    return part;
  }

  #filled(slot, template, columns) {
    const known = slot.known.get(template) ?? this.anywhere.get(template);
    const values = known ? known.values.slice() : new Array(this.tables.templates[template].length - 1).fill(0);
    let hole = 0;
    for (let count = columns.kinds.next(); count > 0; count--) {
      hole += columns.details.next();
      values[hole] = columns.details.next();
    }
    return { template, values };
  }

  #text({ template, values }) {
    const [text, ...holes] = this.tables.templates[template];
    const pieces = text.split("\0");
    return pieces.map((piece, at) => (at ? this.tables.strings[holes[at - 1][values[at - 1]]] : "") + piece).join("");
  }

  #column() {
    const numbers = new Int32Array(this.#number());
    for (let at = 0; at < numbers.length; at++) numbers[at] = this.#number();
    return numbers;
  }

  #number() {
    let number = 0, shift = 0, byte;
    do {
      byte = this.columns[this.at++];
      number |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127);
    return (number >>> 1) ^ -(number & 1);
  }
}

class Column {
  constructor(numbers) {
    this.numbers = numbers;
    this.at = 0;
  }

  get length() {
    return this.numbers.length;
  }

  next() {
    return this.numbers[this.at++];
  }

  // So many numbers as differences to those before; null if the column is empty.
  row(count, before) {
    if (!this.length) return null;
    return Array.from({ length: count }, (_, at) => this.next() + (before?.[at] ?? 0));
  }
}

class Parts {
  constructor() {
    this.texts = [];
    this.numbers = new Map();
  }

  number(part, write) {
    const key = `${part.template}:${part.values}`;
    if (!this.numbers.has(key)) this.numbers.set(key, this.texts.push(write()) - 1);
    return this.numbers.get(key);
  }
}

// The bytes of a block of base64 that was packed by deflate.
export async function inflate(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

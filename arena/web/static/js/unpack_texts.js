// Texts as arena/web/report/texts.py wrote them, and the numbers of arena/web/report/fields.py.
import { situation } from "./decoding.js";

export const FIELDS = {
  SEAT: 8, ACTION: 16, BY: 24, THROWS: 32, KIND: 40, COUNT: 48, CHANCE: 56, SAID: 64, WORDS: 72, ELAPSED: 80, LEFT: 88,
  NOTE: 96, DECIDER: 104, TURN: 112, WORTH: 120, TEXT: 128, SLOT: 136, PART: 144, TEMPLATE: 152, SAME: 160, AMOUNT: 168,
  WHOLE: 176, VALUE: 184, CHANGE: 192,
};
const WORD = / ?(?:[0-9]+|[^\x00-@[-`{-\x7f]+)|./gsu;
const END = 256, REACH = 40;

export class Numbered {
  constructor() {
    this.numbers = new Map();
    this.items = [];
  }

  number(item) {
    if (!this.numbers.has(item)) this.numbers.set(item, this.items.push(item) - 1);
    return this.numbers.get(item);
  }
}

export class Source {
  constructor(words = []) {
    this.words = words;
    this.at = 0;
  }

  next() {
    return this.words[this.at] ?? -1;
  }

  follow(word) {
    const found = this.words.slice(this.at, this.at + REACH).indexOf(word);
    if (found >= 0) this.at += found + 1;
  }
}

export class Texts {
  constructor(coder) {
    this.coder = coder;
    this.texts = new Numbered();
    this.words = new Numbered();
    this.known = new Map();
    this.know("");
  }

  know(text) {
    return this.texts.number(text);
  }

  text(number) {
    return this.texts.items[number];
  }

  wordsOf(text) {
    return (text.match(WORD) ?? []).map((word) => this.words.numbers.get(word) ?? -2);
  }

  read(field, keys, source = new Source(), topic = 0) {
    const place = `${field} ${topic}`;
    if (!this.known.has(place)) this.known.set(place, new Numbered());
    const known = this.known.get(place);
    const number = this.coder.guessed(field, keys, () => {
      const here = this.choose(field, known.items.length, topic);
      if (here >= 0) return known.items[here];
      const there = this.choose(field + 6, this.texts.items.length);
      return there >= 0 ? there : this.know(this.#spell(field, source, topic));
    });
    known.number(number);
    return number;
  }

  // One of `count` known numbers; -1 if it is none of them.
  choose(field, count, topic = 0) {
    if (this.coder.bit(situation(field, -1, topic))) return -1;
    return this.coder.index(situation(field, -2, topic), count);
  }

  #spell(field, source, topic) {
    let text = "", before = 0, last = 0;
    for (;;) {
      const keys = [
        situation(field, -1, source.next(), last, topic),
        situation(field + 1, -1, before, last, topic),
        situation(field + 2, -1, before, last),
        situation(field + 3, -1, last, topic),
        situation(field + 4, -1, last),
      ];
      const number = this.coder.guessed(field + 5, keys, () => {
        const there = this.choose(field + 5, this.words.items.length);
        return there >= 0 ? there : this.words.number(this.#letters());
      });
      const word = this.words.items[number];
      if (!word) return text;
      text += word;
      source.follow(number);
      before = last;
      last = number;
    }
  }

  #letters() {
    const bytes = [];
    for (let last = 0; ; ) {
      last = this.coder.index(situation(0, last), END + 1);
      if (last === END) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
      bytes.push(last);
    }
  }
}

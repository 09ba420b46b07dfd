// Pictures as arena/web/report/drawn.py wrote them.
import { situation } from "./decoding.js";
import { FIELDS, Numbered } from "./unpack_texts.js";

const AMOUNT = /^(?:0|[1-9][0-9]{0,3})$/;
const PLACE = "<g data-place=";
const RECENT = 7;

export class Pictures {
  constructor(coder, texts) {
    Object.assign(this, { coder, texts, parts: [], lastSame: new Map(), known: new Map(), places: new Map() });
    this.numbers = new Numbered();
    this.amounts = new Numbered();
    this.sames = new Numbered();
    this.begin();
  }

  begin() {
    this.shown = new Map();
    this.before = [];
  }

  // The changes of the next picture: slot, part, slot, part, and so on.
  read(told) {
    const walk = { slot: -1, part: -1, mentioned: [], met: 0, amount: -1 }, changes = [], slots = [];
    for (let slot; (slot = this.#slot(walk, told)) >= 0; ) {
      const number = this.#part(slot, walk, told);
      this.shown.set(slot, number);
      Object.assign(walk, { slot, part: number });
      this.#mention(slot, this.parts[number], walk);
      changes.push(slot, number);
      slots.push(slot);
    }
    this.before = slots;
    return Int32Array.from(changes);
  }

  text(number) {
    const { template, values } = this.parts[number];
    const pieces = this.texts.text(template).split("\0");
    return pieces.map((piece, at) => (at ? this.texts.text(values[at - 1]) : "") + piece).join("");
  }

  #slot(walk, told) {
    const last = walk.slot, first = walk.mentioned[walk.met] ?? -1, second = walk.mentioned[walk.met + 1] ?? -1;
    const waiting = this.before.find((before) => before > last) ?? -1;
    const shows = waiting >= 0 ? this.parts[this.shown.get(waiting)].template : -1;
    const keys = [
      situation(FIELDS.SLOT, last, told.event, waiting, shows, walk.part),
      situation(FIELDS.SLOT + 1, last, first, told.action),
      situation(FIELDS.SLOT + 2, last, first, second, waiting),
      situation(FIELDS.SLOT + 3, last, told.event, waiting, shows),
      situation(FIELDS.SLOT + 4, last, told.action, waiting, shows),
      situation(FIELDS.SLOT + 5, last, waiting, shows),
      situation(FIELDS.SLOT + 6, last),
    ];
    const slot = this.coder.guessed(FIELDS.SLOT, keys, () => {
      const far = this.coder.number(situation(FIELDS.SLOT + 7, 0));
      return far ? last + far + 1 : 0;
    }) - 1;
    if (slot >= 0) walk.met += this.places.get(first) === slot ? 1 : this.places.get(second) === slot ? 2 : 0;
    return slot;
  }

  #mention(slot, part, walk) {
    if (this.texts.text(part.template).startsWith(PLACE)) {
      if (part.references.length) this.places.set(part.references[0], slot);
      return;
    }
    for (const each of part.references) if (!walk.mentioned.includes(each)) walk.mentioned.push(each);
  }

  #part(slot, walk, told) {
    const old = this.shown.get(slot) ?? -1, { event, action, words } = told;
    const keys = [
      situation(FIELDS.PART, slot, event, old, words),
      situation(FIELDS.PART + 1, slot, event, old),
      situation(FIELDS.PART + 2, slot, action, old),
      situation(FIELDS.PART + 3, slot, words),
      situation(FIELDS.PART + 4, slot, old),
      situation(FIELDS.PART + 5, slot, action),
    ];
    return this.coder.guessed(FIELDS.PART, keys, () => {
      const part = this.#fill(slot, walk, told);
      const number = this.numbers.number(`${part.template}:${part.values}`);
      if (number === this.parts.length) this.parts.push(part);
      return number;
    });
  }

  #fill(slot, walk, told) {
    let showed = this.parts[this.shown.get(slot)];
    const keys = [
      situation(FIELDS.TEMPLATE, slot, showed?.template ?? -1, told.event),
      situation(FIELDS.TEMPLATE + 1, slot, showed?.template ?? -1),
      situation(FIELDS.TEMPLATE + 2, slot),
    ];
    const template = this.texts.read(FIELDS.TEMPLATE, keys);
    if (showed?.template !== template) showed = this.known.get(`${slot} ${template}`) ?? this.known.get(`${template}`);
    const values = [], count = this.texts.text(template).split("\0").length - 1;
    const same = this.#same(slot, template, count, told);
    for (let hole = 0; hole < count; hole++) {
      const old = showed?.values[hole] ?? 0;
      values.push(same[hole] === "1" ? old : this.#value({ slot, template, hole, walk, told }, old, values.at(-1) ?? 0));
    }
    const part = { template, values, references: values.filter((value) => this.texts.text(value).startsWith("#")) };
    this.known.set(`${slot} ${template}`, part);
    this.known.set(`${template}`, part);
    return part;
  }

  // Which holes show what the slot showed before, a one for each that does.
  #same(slot, template, count, told) {
    const place = `${slot} ${template}`, last = this.lastSame.get(place) ?? -1;
    const keys = [
      situation(FIELDS.SAME, slot, template, told.event, last),
      situation(FIELDS.SAME + 1, template, told.event, told.words),
      situation(FIELDS.SAME + 2, template, told.event),
      situation(FIELDS.SAME + 3, slot, template, told.action),
      situation(FIELDS.SAME + 4, template, told.action, last),
      situation(FIELDS.SAME + 5, slot, template, last),
      situation(FIELDS.SAME + 6, template),
    ];
    const number = this.coder.guessed(FIELDS.SAME, keys, () => {
      let same = "", seen = 1;
      for (let hole = 0; hole < count; hole++) {
        const bit = this.coder.bit(situation(FIELDS.SAME + 7, template, hole, seen));
        seen = (2 * seen + bit) & RECENT;
        same += bit;
      }
      return this.sames.number(same);
    });
    this.lastSame.set(place, number);
    return this.sames.items[number];
  }

  #value(at, old, before) {
    const { slot, template, hole, told } = at, { coder, texts } = this;
    if (AMOUNT.test(texts.text(old)) && coder.bit(situation(FIELDS.AMOUNT, template, hole))) {
      return texts.know(`${Number(texts.text(old)) + this.#change(slot, at.walk, told)}`);
    }
    if (coder.bit(situation(FIELDS.WHOLE, template, hole))) return told.whole;
    const keys = [
      situation(FIELDS.VALUE, slot, template, hole, before, old),
      situation(FIELDS.VALUE + 1, template, hole, old, told.event),
      situation(FIELDS.VALUE + 2, slot, template, hole, before),
      situation(FIELDS.VALUE + 3, slot, template, hole),
      situation(FIELDS.VALUE + 4, template, hole, before),
      situation(FIELDS.VALUE + 5, template, hole),
    ];
    return texts.read(FIELDS.VALUE, keys, told.source, situation(template, hole));
  }

  #change(slot, walk, told) {
    const last = walk.amount;
    const keys = [
      situation(FIELDS.CHANGE, slot, last, told.words),
      situation(FIELDS.CHANGE + 1, slot, told.words),
      situation(FIELDS.CHANGE + 2, slot, told.event, last),
      situation(FIELDS.CHANGE + 3, slot, last),
      situation(FIELDS.CHANGE + 4, slot, told.event),
    ];
    walk.amount = this.coder.guessed(FIELDS.CHANGE, keys, () => {
      const known = this.texts.choose(FIELDS.CHANGE, this.amounts.items.length);
      return known >= 0 ? known : this.amounts.number(this.coder.number(situation(FIELDS.CHANGE + 5, 0)));
    });
    return this.amounts.items[walk.amount];
  }
}

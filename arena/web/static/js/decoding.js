// Reads what arena/web/report/coding.py wrote, operation by operation.
const A = 0x9e3779b1, B = 0x85ebca77, C = 0xc2b2ae3d, D = 0x27d4eb2f, E = 0x165667b1, F = 0xb5297a4d;
const GUESSES = 3, ENTRY = GUESSES + 1, ORDERS = 8, SURE = 12, SLOWEST = 60, NARROW = 3;
const P_MIN = 32, P_MAX = 65536 - P_MIN, TRIED = 4;

export function situation(a, b = 0, c = 0, d = 0, e = 0, f = 0) {
  const first = Math.imul(a, A) + Math.imul(b, B) + Math.imul(c, C);
  return (first + Math.imul(d, D) + Math.imul(e, E) + Math.imul(f, F)) >>> 0;
}

export class Decoder {
  constructor(bytes, size) {
    this.bytes = bytes;
    this.at = 0;
    this.low = 0;
    this.high = 0xffffffff;
    this.value = 0;
    for (let byte = 0; byte < 4; byte++) this.value = ((this.value << 8) | this.#byte()) >>> 0;
    this.shift = 32 - size;
    this.mask = 2 ** this.shift - 1;
    this.chances = new Float32Array(2 ** size).fill(0.5);
    this.times = new Uint8Array(2 ** size);
    this.guesses = new Int32Array(ENTRY * 2 ** size);
    this.tried = new Int32Array(GUESSES * ORDERS);
  }

  bit(key) {
    const at = key >>> this.shift;
    const chance = this.chances[at], times = this.times[at];
    const share = Math.min(Math.max(Math.floor(chance * 65536), P_MIN), P_MAX);
    const middle = this.low + Math.floor(((this.high - this.low) * share) / 65536);
    const bit = this.value <= middle ? 1 : 0;
    if (bit) {
      this.high = middle;
      this.chances[at] = chance + (1 - chance) / (times + 1.5);
    } else {
      this.low = middle + 1;
      this.chances[at] = chance - chance / (times + 1.5);
    }
    if (times < SLOWEST) this.times[at] = times + 1;
    while ((this.low ^ this.high) >>> 0 < 1 << 24) {
      this.low = (this.low << 8) >>> 0;
      this.high = ((this.high << 8) | 255) >>> 0;
      this.value = ((this.value << 8) | this.#byte()) >>> 0;
    }
    return bit;
  }

  number(key) {
    let length = 1;
    while (this.bit(situation(key, length))) length++;
    let rest = 1;
    for (let place = length - 2; place >= 0; place--) {
      const seen = length - 2 - place < NARROW ? rest : 0;
      rest = 2 * rest + this.bit(situation(key, length, seen, place));
    }
    return rest % 2 ? (rest - 1) / 2 : -rest / 2;
  }

  index(key, count) {
    let number = 0, node = 1;
    for (let place = 32 - Math.clz32(count - 1); place > 0; place--) {
      const bit = this.bit(situation(key, node));
      node = 2 * node + bit;
      number = 2 * number + bit;
    }
    return number;
  }

  // The symbol that one of the situations foretells; if none does, what `tell()` reads. All of them learn it.
  guessed(field, keys, tell) {
    const found = this.#find(field, keys);
    const symbol = found ? found - 1 : tell();
    for (let order = keys.length - 1; order >= 0; order--) this.#learn(keys[order], symbol + 1);
    return symbol;
  }

  #find(field, keys) {
    let tried = 0;
    for (let order = 0; order < keys.length; order++) {
      const at = (keys[order] >>> this.shift) * ENTRY, state = this.guesses[at + GUESSES];
      if (state >>> 4 !== (keys[order] & this.mask)) continue;
      for (let rank = 0; rank < GUESSES; rank++) {
        const guess = this.guesses[at + rank];
        if (!guess) break;
        if (this.#wasTried(guess, tried)) continue;
        if (this.bit(situation(field * ORDERS + order, rank, state & 15, Math.min(tried, TRIED)))) return guess;
        this.tried[tried++] = guess;
      }
    }
    return 0;
  }

  #wasTried(guess, count) {
    for (let at = 0; at < count; at++) if (this.tried[at] === guess) return true;
    return false;
  }

  #learn(key, wanted) {
    const { guesses } = this, at = (key >>> this.shift) * ENTRY, check = (key & this.mask) << 4;
    const state = guesses[at + GUESSES], run = state & 15;
    if (state - run !== check) {
      if (run) {
        guesses[at + GUESSES] = state - 1;
        return;
      }
      guesses[at + 1] = guesses[at + 2] = 0;
    } else if (guesses[at] === wanted) {
      if (run < SURE) guesses[at + GUESSES] = state + 1;
      return;
    } else {
      if (guesses[at + 1] !== wanted) guesses[at + 2] = guesses[at + 1];
      guesses[at + 1] = guesses[at];
    }
    guesses[at] = wanted;
    guesses[at + GUESSES] = check;
  }

  #byte() {
    return this.bytes[this.at++] ?? 0;
  }
}

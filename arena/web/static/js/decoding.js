// Reads what arena/web/report/coding.py wrote, operation by operation.
const FACTORS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1, 0xb5297a4d];
const BIT_SHIFT = 11, GUESS_SHIFT = 9, GUESSES = 3, ORDERS = 8, SURE = 12, SLOWEST = 61.5, NARROW = 3;
const P_MIN = 32, P_ONE = 65536, TRIED = 4;

export function situation(...numbers) {
  let total = 0;
  for (let at = 0; at < numbers.length; at++) total = (total + Math.imul(numbers[at], FACTORS[at])) | 0;
  return total >>> 0;
}

export class Decoder {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.low = 0;
    this.high = 0xffffffff;
    this.value = 0;
    for (let byte = 0; byte < 4; byte++) this.value = ((this.value << 8) | this.#byte()) >>> 0;
    this.chances = new Float64Array(2 ** (32 - BIT_SHIFT)).fill(0.5);
    this.paces = new Float64Array(2 ** (32 - BIT_SHIFT)).fill(1.5);
    this.guesses = new Int32Array(GUESSES * 2 ** (32 - GUESS_SHIFT));
    this.runs = new Uint8Array(2 ** (32 - GUESS_SHIFT));
    this.tried = new Int32Array(GUESSES * ORDERS);
  }

  bit(key) {
    const at = key >>> BIT_SHIFT;
    const chance = this.chances[at];
    const share = Math.min(Math.max(Math.floor(chance * P_ONE), P_MIN), P_ONE - P_MIN);
    const middle = this.low + Math.floor(((this.high - this.low) * share) / P_ONE);
    const bit = this.value <= middle ? 1 : 0;
    if (bit) this.high = middle;
    else this.low = middle + 1;
    const pace = this.paces[at];
    this.chances[at] = chance + (bit - chance) / pace;
    if (pace < SLOWEST) this.paces[at] = pace + 1;
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
    let found = 0, tried = 0;
    for (let order = 0; order < keys.length && !found; order++) {
      const place = keys[order] >>> GUESS_SHIFT;
      for (let rank = 0; rank < GUESSES; rank++) {
        const guess = this.guesses[GUESSES * place + rank];
        if (!guess) break;
        if (this.#wasTried(guess, tried)) continue;
        if (this.bit(situation(field * ORDERS + order, rank, this.runs[place], Math.min(tried, TRIED)))) {
          found = guess;
          break;
        }
        this.tried[tried++] = guess;
      }
    }
    const symbol = found ? found - 1 : tell();
    for (const key of keys) this.#learn(key >>> GUESS_SHIFT, symbol + 1);
    return symbol;
  }

  #wasTried(guess, count) {
    for (let at = 0; at < count; at++) if (this.tried[at] === guess) return true;
    return false;
  }

  #learn(place, wanted) {
    const first = GUESSES * place;
    if (this.guesses[first] === wanted) {
      this.runs[place] = Math.min(this.runs[place] + 1, SURE);
      return;
    }
    this.runs[place] = 0;
    let rank = 1;
    while (rank < GUESSES - 1 && this.guesses[first + rank] !== wanted) rank++;
    this.guesses.copyWithin(first + 1, first, first + rank);
    this.guesses[first] = wanted;
  }

  #byte() {
    return this.bytes[this.at++] ?? 0;
  }
}

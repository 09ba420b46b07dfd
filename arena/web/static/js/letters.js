// Letters back to bytes, as arena/web/report/letters.py writes them.
const REPLACED = [0, 13, 27, 38, 60];
const FIRST = 0x400, SURROGATES = 0xe000, SKIPPED = 0x800;
const LOW_BYTES = 96, HIGH_BYTES = 31, LETTERS = 64, DIGITS = 8, BASE = 15;

export function bytesOf(text, isWide) {
  const bytes = (isWide ? wide : narrow)(text);
  const [length] = new Uint32Array(bytes.slice(0, 4).reverse().buffer);
  return bytes.subarray(4, 4 + length);
}

function narrow(text) {
  const bytes = new Uint8Array(Math.floor((7 * text.length) / 8));
  let rest = 0, bits = 0, at = 0;
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    rest = ((rest << 7) | (code < 128 ? code : REPLACED[code - 192])) & 0x7fff;
    bits += 7;
    if (bits >= 8) bytes[at++] = (rest >> (bits -= 8)) & 255;
  }
  return bytes;
}

// Each letter has twelve bits and a digit; eight digits of base 15 are 31 bits.
function wide(text) {
  const blocks = text.length / LETTERS, bytes = new Uint8Array(blocks * (LOW_BYTES + HIGH_BYTES));
  const value = (place) => {
    const code = text.charCodeAt(place);
    return (code < SURROGATES ? code : code - SKIPPED) - FIRST;
  };
  for (let block = 0, at = 0; block < blocks; block++) {
    const from = LETTERS * block;
    for (let place = from; place < from + LETTERS; place += 2) {
      const pair = ((value(place) & 4095) << 12) | (value(place + 1) & 4095);
      bytes[at++] = pair >> 16;
      bytes[at++] = (pair >> 8) & 255;
      bytes[at++] = pair & 255;
    }
    let rest = 0, bits = 0;
    for (let place = from; place < from + LETTERS; place += DIGITS) {
      let number = 0;
      for (let digit = 0; digit < DIGITS; digit++) number = BASE * number + (value(place + digit) >> 12);
      rest = rest * 2 ** 31 + number;
      for (bits += 31; bits >= 8; ) {
        bits -= 8;
        bytes[at++] = Math.floor(rest / 2 ** bits);
        rest %= 2 ** bits;
      }
    }
  }
  return bytes;
}

// Gives back the matches that arena/web/report/match_packing.py packed, each as the viewer takes it.
const ESCAPE = 61, SHIFT = 64; // as in yEnc

// The characters of windows-1252, the encoding of the file, by the bytes that they stand for.
const BYTES = new Map([...new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))].map((letter, byte) => [letter, byte]));

function bytesOf(text) {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = BYTES.get(text[at]);
    bytes[length++] = byte === ESCAPE ? BYTES.get(text[++at]) - SHIFT : byte;
  }
  return bytes.subarray(0, length);
}

// What stands in an element of the file, unpacked.
export async function unpack(id) {
  const packed = new Blob([bytesOf(document.getElementById(id).textContent)]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

// A match as the viewer takes it, from what `unpack` gives of it and of the tables.
export function storyOf(match, { texts, pictures }) {
  const parts = [], last = new Map(), shownBy = [];
  let row = 0;
  const read = (slot) => {
    const template = match.parts[row++], old = last.get(`${template} ${slot}`) ?? last.get(template);
    const values = match.parts.slice(row, (row += texts[template].split("\0").length - 1));
    return parts.push({ template, values: values.map((value, at) => (value ? value - 1 : old.values[at])) }) - 1;
  };
  let scores = [];
  const values = match.values.map((steps) => {
    if (!steps.length) return null;
    scores = steps.map((step, at) => step + (scores[at] ?? 0));
    return scores.map((hundredths) => 10 * hundredths);
  });
  const changes = match.slots.map((steps, at) => {
    let slot = 0;
    return steps.flatMap((step, place) => {
      slot += step;
      const code = match.shown[at][place], before = (shownBy[slot] ??= []);
      const [number] = code > 0 ? before.splice(code - 1, 1) : [code ? -code - 1 : read(slot)];
      before.unshift(number);
      const part = parts[number];
      last.set(`${part.template} ${slot}`, part).set(part.template, part);
      return [slot, number];
    });
  });
  const drawn = parts.map(({ template, values }) => {
    const [first, ...rest] = texts[template].split("\0");
    return first + rest.map((text, at) => texts[values[at]] + text).join("");
  });
  const frames = match.seat.map((_, at) => {
    const frame = {
      seat: match.seat[at],
      action: texts[match.action[at]] || null,
      words: filled(match.words[at].map((number) => texts[number])),
      chance: match.chance[at],
      by: texts[match.by[at]] || null,
      elapsed_us: times(match.elapsed_ms[at], 1000),
      remaining_us: filled(match.remaining_ds[at].map((tenths) => tenths * 1e5)),
      note: match.note[at],
      turn: match.turn[at],
      values: values[at],
      text: match.text[at],
      title: texts[match.title[at]] || null,
      faults: match.faults[at],
    };
    const told = Object.entries(frame).filter(([, value]) => value !== null && value !== undefined);
    return { ...Object.fromEntries(told), decider: match.decider[at], parts: changes[at] };
  });
  return { ...match, picture: pictures[match.picture], parts: drawn, frames };
}

function filled(list) {
  return list.length ? list : null;
}

function times(number, factor) {
  return number === null ? null : number * factor;
}

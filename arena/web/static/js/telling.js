// How the figures of a replay are written, and small pieces of pages. No text is ever interpreted as markup here.
const SIGNS = "http://www.w3.org/2000/svg";

export function make(kind, classes, ...children) {
  const node = document.createElement(kind);
  if (classes) node.className = classes;
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function formatTime(us) {
  if (us === 0) return "< 1 ms"; // as a report has it, which counts milliseconds
  if (us < 1e3) return `${us} µs`;
  if (us < 1e6) return `${Math.round(us / 1e3)} ms`;
  return us < 6e7 ? `${(us / 1e6).toFixed(1)} s` : formatClock(us);
}

export function formatClock(us) {
  if (us < 1e7) return `0:${(us / 1e6).toFixed(1).padStart(4, "0")}`;
  const seconds = Math.floor(us / 1e6);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

// A die shows its pips if it has six sides, and its number otherwise.
export function dice(chance) {
  const fallen = (chance ?? []).filter(([kind]) => /^d\d+$/.test(kind));
  const shown = fallen.flatMap(([kind, values]) => values.map((value) => die(kind, value)));
  return shown.length ? make("span", "dice", ...shown) : null;
}

function die(kind, value) {
  const face = make("span", "die");
  face.setAttribute("role", "img");
  face.setAttribute("aria-label", String(value));
  if (kind !== "d6" || !PIPS[value]) face.textContent = value;
  else for (let at = 0; at < 9; at++) face.append(make("i", PIPS[value].includes(at) ? "pip" : ""));
  return face;
}

// The mark of a bot comes from the server as an element of SVG, which escapes the letter in it.
export function mark(markup) {
  const holder = make("span", "mark-holder");
  holder.innerHTML = markup;
  return holder;
}

// A seat as the board shows it: its colour and its letter.
export function chip(story, seat) {
  const [called, colour] = [story.called?.[seat] ?? "", story.colours[seat]];
  const letter = called.length === 1 ? called : String.fromCharCode(65 + seat);
  const sign = document.createElementNS(SIGNS, "svg");
  for (const [name, value] of Object.entries({ class: "chip", viewBox: "0 0 18 18", width: 18, height: 18, role: "img" })) {
    sign.setAttribute(name, value);
  }
  sign.setAttribute("aria-label", letter);
  const ground = document.createElementNS(SIGNS, "rect");
  for (const [name, value] of Object.entries({ width: 18, height: 18, rx: 4, fill: colour })) ground.setAttribute(name, value);
  const text = document.createElementNS(SIGNS, "text");
  for (const [name, value] of Object.entries({ x: 9, y: 13, fill: isPale(colour) ? "#111" : "#fff" })) text.setAttribute(name, value);
  text.textContent = letter;
  sign.append(ground, text);
  return sign;
}

function isPale(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 150;
}

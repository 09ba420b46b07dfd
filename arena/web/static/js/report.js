// A report: one file with matches inside. Lists them, reads them by workers, and shows the one that is chosen.
import { bytesOf } from "./letters.js";
import { inflate, read } from "./reading.js";
import { fill, make } from "./telling.js";
import { Viewer, wanted } from "./viewer.js";

const root = document.querySelector("[data-viewer]");
const list = document.querySelector("[data-matches]");
const status = document.querySelector("[data-reading]");
const isWide = document.characterSet.startsWith("UTF-16");
const bytesIn = (name) => bytesOf(document.getElementById(name).textContent, isWide);
const streams = await inflate(bytesIn("tables"));
const matches = streams.flatMap((stream) => stream.matches).sort((one, other) => one.place - other.place);
const kept = new Map(), waiting = new Map();
let viewer = null, shown = -1, wished = -1;

function take(place, story) {
  kept.set(place, story);
  waiting.get(place)?.(story);
  waiting.delete(place);
  tell();
}

// A worker may be made of what stands in the file; where a browser forbids it, the page reads by and by.
function start(tables, bytes) {
  const pause = () => new Promise((done) => setTimeout(done));
  const readHere = () => read(tables, bytes, take, pause);
  const source = document.getElementById("unpacking").textContent;
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    const worker = new Worker(address);
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      readHere();
    };
    let left = tables.matches.length;
    worker.onmessage = ({ data }) => {
      take(data.place, data.story);
      if (!--left) worker.terminate();
    };
    worker.postMessage({ tables, bytes });
  } catch {
    readHere();
  }
}

async function storyOf(number) {
  const { place } = matches[number];
  return inflate(kept.get(place) ?? (await new Promise((done) => waiting.set(place, done))));
}

// Which match is shown or waited for, and how far the reading is.
function tell() {
  if (matches.length < 2 || wished < 0) return;
  const values = { number: wished + 1, done: kept.size, total: matches.length };
  const isRead = kept.has(matches[wished].place);
  const text = fill(isRead ? status.dataset.shown : status.dataset.words, values);
  if (status.textContent !== text) status.textContent = text;
}

async function open(number, place) {
  wished = number;
  if (number !== shown) {
    root.setAttribute("aria-busy", "true");
    for (const [at, row] of [...(list?.rows ?? [])].entries()) row.classList.toggle("current", at === number);
    tell();
    if (shown >= 0) status.scrollIntoView(); // the list may stand far below
    const story = await storyOf(number);
    if (wished !== number) return; // another was chosen meanwhile
    root.removeAttribute("aria-busy");
    viewer?.close();
    root.dataset.link = matches.length > 1 ? `match=${number + 1}&` : "";
    viewer = new Viewer(root, story);
    root.viewer = viewer;
    shown = number;
  }
  viewer.show(place === null ? 0 : wanted(viewer, place));
  root.dataset.ready = number;
}

function follow() {
  const found = /(?:^|[#&])match=(\d+)/.exec(location.hash);
  const number = found ? Math.min(Number(found[1]), matches.length) - 1 : Math.max(shown, 0);
  open(Math.max(number, 0), location.hash.includes("ply=") ? location.hash : null);
}

for (const [at, match] of (list ? matches : []).entries()) {
  const seats = match.seats.map((name, seat) => `${name} (${match.end?.ranks[seat] ?? "–"})`).join(" · ");
  const link = make("a", "", `${at + 1}`);
  link.href = `#match=${at + 1}`;
  list.append(make("tr", "", make("td", "n", link), make("td", "", seats), make("td", "mono", match.match_id.slice(-8))));
}
addEventListener("hashchange", follow);
for (const [at, tables] of streams.entries()) if (tables.matches.length) start(tables, bytesIn(`frames${at}`));
if (matches.length) follow();

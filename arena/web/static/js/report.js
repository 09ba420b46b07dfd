// A report: one file with matches inside. Lists them, and unpacks and shows the one that is chosen.
import { make } from "./telling.js";
import { storyOf, unpack } from "./unpack.js";
import { Viewer, wanted } from "./viewer.js";

const root = document.querySelector("[data-viewer]");
const list = document.querySelector("[data-matches]");
const status = document.querySelector("[data-reading]");
const tables = await unpack("tables");
const { matches } = tables;
let viewer = null, shown = -1, wished = -1;

async function open(number, place) {
  wished = number;
  if (number !== shown) {
    root.setAttribute("aria-busy", "true");
    for (const [at, row] of [...(list?.rows ?? [])].entries()) row.classList.toggle("current", at === number);
    if (status) status.textContent = matches.length > 1 ? status.dataset.shown.replace("{number}", number + 1) : "";
    if (shown >= 0) status.scrollIntoView(); // the list may stand far below
    const story = storyOf(await unpack(`match${number}`), tables);
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
  const seats = match.seats.map((name, seat) => `${name} (${match.ranks?.[seat] ?? "–"})`).join(" · ");
  const link = make("a", "", `${at + 1}`);
  link.href = `#match=${at + 1}`;
  list.append(make("tr", "", make("td", "n", link), make("td", "", seats), make("td", "mono", match.match_id.slice(-8))));
}
addEventListener("hashchange", follow);
follow();

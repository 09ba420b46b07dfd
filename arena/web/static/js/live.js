// A match under way on its page: the story so far, then what happens, by one stream that goes on where it was.
import { follow } from "./stream.js";
import { Viewer } from "./viewer.js";

const status = document.querySelector("[data-live]");
const root = document.querySelector("[data-viewer]");
const match = status.dataset.live;
const lang = document.documentElement.lang;
const next = status.querySelector("a[data-goes-on]"); // there where one match after another is watched
const NEXT_MS = 8000;
let viewer = null;

function say(text, isOver = false) {
  status.querySelector("span").textContent = text;
  status.querySelector("a").hidden = !isOver;
  status.classList.toggle("on", text === status.dataset.now);
}

function begin(story) {
  viewer?.close();
  viewer = root.viewer = new Viewer(root, story);
  viewer.show(viewer.last);
  root.dataset.ready = "";
  say(status.dataset.now);
  if (story.end) end(story.end);
}

function end(result) {
  source?.close();
  say(result.lost ? `${status.dataset.lost} ${result.lost}` : status.dataset.over, true);
  if (next) setTimeout(goOn, NEXT_MS);
}

async function goOn() {
  const found = await fetch(next.href).catch(() => null);
  if (found?.redirected && new URL(found.url).pathname.startsWith("/matches/")) location.assign(found.url);
  else setTimeout(goOn, NEXT_MS);
}

function more(told) {
  told.frames.forEach((frame, at) => viewer.append(frame, at ? [] : told.parts));
  say(status.dataset.now);
  if (!told.end) return;
  viewer.finish(told.end);
  end(told.end);
}

let source = null;
const answer = await fetch(`/matches/${match}/live.json?lang=${lang}`);
const known = answer.ok ? await answer.json() : { at: "", story: null };
const address = new URLSearchParams({ match, lang, after: known.story ? known.at : "" });
if (known.story) begin(known.story);
if (!known.story?.end) {
  source = follow(address, {
    story: (event) => begin(JSON.parse(event.data).story),
    more: (event) => more(JSON.parse(event.data)),
    stop: (event) => {
      if (viewer?.story.end) return source.close();
      say(JSON.parse(event.data).why || status.dataset.over, true);
      source.later(); // it may be played again, or be told again
    },
    open: () => viewer && say(status.dataset.now),
    error: () => say(status.dataset.away),
  });
}

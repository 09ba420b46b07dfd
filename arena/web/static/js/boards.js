// Small boards of matches under way, all told by one stream: a browser opens few connections to one host.
import { Board } from "./board.js";
import { follow } from "./stream.js";

const hosts = new Map([...document.querySelectorAll("[data-board]")].map((host) => [host.dataset.board, host]));
const boards = new Map();

function show(match, frames, parts) {
  const board = boards.get(match);
  board.parts.push(...parts);
  for (const frame of frames) board.append(frame);
  board.show(board.length - 1);
  const said = document.querySelector(`[data-said="${match}"]`);
  const words = frames.at(-1)?.words?.join(" ");
  if (words) said.textContent = words;
}

function begin({ match, story }) {
  if (!story.picture) return;
  boards.set(match, new Board(hosts.get(match), story.picture, []));
  show(match, story.frames, story.parts);
}

if (hosts.size) {
  const address = new URLSearchParams([...hosts.keys()].map((match) => ["match", match]));
  address.set("latest", "true");
  address.set("lang", document.documentElement.lang);
  const going = new Set(hosts.keys());
  const source = follow(address, {
    story: (event) => begin(JSON.parse(event.data)),
    more: (event) => {
      const { match, frames, parts } = JSON.parse(event.data);
      if (boards.has(match)) show(match, frames, parts);
    },
    stop: (event) => {
      going.delete(JSON.parse(event.data).match);
      if (!going.size) source.close();
    },
  });
}

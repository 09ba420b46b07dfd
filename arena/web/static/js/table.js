// The page of a table: the board with what may be chosen, the clock, the end. Everything works by clicks and by keys.
//
// The server tells of every change; what it is, is asked for. A choice of several steps (a region, then what is done
// there) is made here and sent as one action. All texts of others are put in as text, never as markup.
import { Board } from "./board.js";
import { Path } from "./path.js";

const SLOW_MS = 1000;
const GATHER_MS = 15;
const root = document.querySelector("#table");
const table = JSON.parse(root.dataset.table);
const find = (id) => document.querySelector(`#${id}`);
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);

let board = null;
let parts = [];
let known = new Map();
let state = table;
let path = null;
let asked = performance.now();
let isSending = false;
let answered = "";
let wanted = table.sequence;
let looking = 0;
let isStopped = false;
let holdsFocus = false;
let stream = null;

function draw() {
  const host = find("board");
  host.hidden = !state.frame;
  find("position").hidden = Boolean(state.frame) || !state.text;
  find("position").textContent = state.text;
  if (!state.frame) return;
  if (!board) {
    board = new Board(host, state.frame, parts);
    host.style.maxWidth = `calc((100vh - 104px) * ${state.frame.width / state.frame.height})`;
    board.addEventListener("place", (event) => step(event.detail));
  }
  const changes = state.parts.flatMap((part, slot) => [slot, number(part)]);
  board.append({ parts: changes, title: state.title });
  board.show(board.length - 1);
}

function number(part) {
  if (!known.has(part)) known.set(part, parts.push(part) - 1);
  return known.get(part);
}

function step(id) {
  if (!path?.next.has(id) || isSending || isStopped) return;
  path.step(id);
  if (path.action !== null) choose(path.action);
  else offer();
}

function offer() {
  const choices = find("choices");
  holdsFocus ||= choices.contains(document.activeElement);
  const onBoard = mark();
  const steps = find("steps");
  const back = path?.taken.length ? [button("←  " + table.words.undo, () => { path.undo(); offer(); })] : [];
  // A step that is a whole action stands in the list below.
  const others = path ? [...path.next].filter((id) => path.whole(id) === null && !onBoard.has(id)) : [];
  steps.replaceChildren(...back, ...others.map((id) => button(label(id), () => step(id))));
  const hint = find("path");
  hint.hidden = !path;
  hint.textContent = !path ? "" : path.taken.length ? fill(table.words.choose_more, { step: path.taken.map(label).join(" › ") }) : table.words.choose_place;
  const items = path ? path.open.map((action) => {
    const item = document.createElement("li");
    item.append(button(action.label, () => choose(action.id)));
    return item;
  }) : [];
  const list = document.createElement("ul");
  list.className = "play-actions";
  list.append(...items);
  find("actions").replaceChildren(list);
  choices.hidden = !path;
  if (holdsFocus && path) {
    holdsFocus = false; // whoever plays by keys goes on where the last choice was made
    choices.querySelector("button")?.focus({ preventScroll: true });
  }
}

function mark() {
  const onBoard = places();
  board?.mark(path ? [...path.next].filter((id) => onBoard.has(id)) : [], label);
  return onBoard;
}

function label(id) {
  return state.asked?.labels[id] ?? path?.whole(id) ?? id;
}

function places() {
  const found = new Set();
  for (const node of board?.picture.querySelectorAll("[data-place]") ?? []) found.add(node.dataset.place);
  return found;
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

async function send(what, values) {
  const body = new URLSearchParams({ grip: table.grip, ...values });
  return fetch(`${table.address}/${what}`, { method: "POST", body, headers: { accept: "application/json" } });
}

async function choose(action) {
  if (isSending || !state.asked) return;
  isSending = true;
  const { ply } = state.asked;
  answered = question(state);
  path = null;
  offer(); // nothing is chosen twice
  const answer = await send("choose", { ply, action }).catch(() => null);
  isSending = false;
  if (answer?.ok) return catchUp(wanted); // what came of it is told soon
  answered = "";
  await refresh();
  if (answer) await refuse(answer);
  else complain(table.words.lost_connection);
}

async function refuse(answer) {
  const told = await answer.json().catch(() => ({ error: table.words.lost_connection }));
  if (told.kind === "taken") return stop(table.words.taken_over);
  complain(answer.status === 404 ? table.words.gone : told.error);
}

function complain(text) {
  find("problem").textContent = text;
  find("problem").hidden = !text;
}

function question({ seat, restarts, asked }) {
  return asked ? `${seat} ${restarts} ${asked.ply}` : "";
}

// Look at the table once after several changes in a row; a choice on its way is waited for.
function catchUp(sequence) {
  wanted = Math.max(wanted, sequence);
  clearTimeout(looking);
  looking = setTimeout(() => {
    if (!isSending && (wanted > state.sequence || !state.is_connected)) refresh();
  }, GATHER_MS);
}

async function refresh() {
  const answer = await fetch(`${table.address}/state?grip=${table.grip}`, { headers: { accept: "application/json" } }).catch(() => null);
  if (!answer) return complain(table.words.lost_connection);
  if (!answer.ok) return refuse(answer);
  const next = await answer.json();
  if (next.sequence < state.sequence || isStopped) return;
  const isOther = question(next) !== question(state);
  state = next;
  if (state.asked && question(state) === answered) state.asked = null; // it was looked at before the answer came there
  asked = performance.now();
  complain("");
  show(isOther);
}

function show(isOther) {
  draw();
  if (isOther || Boolean(path) !== Boolean(state.asked)) {
    path = state.asked ? new Path(state.asked.actions) : null;
    offer();
  } else mark(); // the list stays as it is, and so does whoever stands in it
  tell();
  moves();
  if (state.stage === "over" || state.stage === "lost") finish();
}

function tell() {
  const names = table.names;
  const who = state.person;
  const texts = {
    asked: state.restarts && !state.moves.length ? table.words.again : fill(table.words.yours, { who }),
    thinking: table.words.thinking,
    waiting: state.restarts ? table.words.again : table.words.waiting,
    over: "",
    lost: state.lost || table.words.lost,
  };
  find("status").textContent = state.is_connected ? texts[state.stage] : table.words.lost_connection;
  document.title = `${state.stage === "asked" ? "● " : ""}${names.join(" – ")}`;
  for (const item of root.querySelectorAll(".play-seats li")) {
    const isTurn = state.stage === "asked" && Number(item.dataset.seat) === state.seat;
    if (isTurn) item.setAttribute("aria-current", "true");
    else item.removeAttribute("aria-current");
    item.querySelector(".rank").textContent = state.ending ? fill(table.words.of, { rank: state.ending.ranks[item.dataset.seat] }) : "";
  }
  const form = find("resign");
  form.hidden = state.stage === "over" || state.stage === "lost";
  form.elements.seat.value = state.seat;
  find("sure").textContent = fill(table.words.resign_sure, { who });
  tick();
}

function tick() {
  const clock = find("clock");
  clock.hidden = !state.asked;
  if (!state.asked) return;
  const gone = (performance.now() - asked) / 1000;
  const shown = [];
  if (state.asked.bank_s !== null) shown.push(fill(table.words.bank, { time: duration(state.asked.bank_s - gone) }));
  const idle = state.asked.idle_left_s - gone;
  if (state.asked.bank_s === null || idle < 300) shown.push(fill(table.words.idle, { time: duration(idle) }));
  clock.textContent = shown.join(" · ");
}

function duration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function moves() {
  const list = find("moves");
  const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 8;
  list.replaceChildren(...state.moves.map((move) => {
    const item = document.createElement("li");
    const who = document.createElement("b");
    who.textContent = `${table.names[move.seat] ?? ""}: `;
    item.append(who, move.words.join(" "));
    return item;
  }));
  if (isAtEnd) list.scrollTop = list.scrollHeight;
}

function finish() {
  find("result").hidden = false;
  const { ending } = state;
  if (ending) {
    const rank = ending.ranks[state.seat];
    const kind = ending.resigned === "idle" ? table.words.over_idle : ending.resigned ? table.words.over_resigned : table.words.over;
    find("verdict").textContent = fill(kind, { who: state.person, rank, seats: ending.ranks.length });
  } else {
    find("verdict").textContent = state.lost || table.words.lost;
  }
  stream?.close();
}

function stop(text) {
  isStopped = true;
  stream?.close();
  path = null;
  state.asked = null;
  offer();
  find("status").textContent = text;
  find("clock").hidden = true;
  find("resign").hidden = true;
}

function listen() {
  stream = new EventSource(`${table.address}/events?grip=${table.grip}`);
  stream.addEventListener("changed", (event) => {
    catchUp(Number(event.data));
  });
  stream.addEventListener("taken", () => stop(table.words.taken_over));
}

find("resign").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await send("resign", { seat: state.seat }).catch(() => null);
  if (answer && !answer.ok) await refuse(answer);
  event.target.querySelector("details").open = false;
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && path?.taken.length) {
    path.undo();
    offer();
  }
});
setInterval(tick, SLOW_MS);
show(true);
listen();

// The page of a table: what was played, whose turn it is, what may be chosen, the clock, the end.
//
// The server tells by one stream; texts of others are put in as text, never as markup.
import { Choices } from "./choices.js";
import { Course } from "./course.js";
import { Scoring } from "./scoring.js";
import { dice, fill, make } from "./telling.js";

const SECOND_MS = 1000;
const root = document.querySelector("#table");
const table = JSON.parse(root.dataset.table);
const { words } = table;
const find = (id) => document.querySelector(`#${id}`);

const course = new Course(find("board"), find("position"), table.own);
const choices = new Choices(root, words, course, choose);
let state = null;
let question = "";
let answered = "";
let askedAt = 0;
let faced = null; // whose view is open, where people at one screen must not see that of the others
let isStopped = false;
let stream = null;

function hear(told) {
  if (isStopped) return;
  const before = state;
  state = told;
  askedAt = performance.now();
  complain("");
  if (told.fresh) {
    withdraw(); // also if nothing is asked now: what is told anew may come before the answer to what was chosen
    find("moves").replaceChildren();
    course.begin(told.board);
    list(told.moves);
    const last = told.moves.at(-1);
    find("now").replaceChildren(...(last ? tellMove(last) : []));
  }
  if (!told.fresh) course.append(told.moves);
  if (course.board) find("start")?.remove(); // it stood there while nothing was played
  if (before?.match !== told.match || before?.missing.length !== told.missing.length) introduce();
  cover();
  if (!course.isBusy) return settle();
  if (question && question !== asking()) withdraw();
  tell();
}

// What is asked now, as a text of its own; empty while nothing is.
function asking() {
  return state.asked ? `${state.seat} ${state.restarts} ${state.asked.ply}` : "";
}

// The match has gone on: what was asked cannot be answered any more, also before that is shown.
function withdraw() {
  choices.begin(null);
  question = "";
}

// All that was played is shown: now it can be gone on.
function settle() {
  find("hurry").hidden = true;
  const key = asking();
  const isOpen = key !== answered && !isStopped && !isCovered();
  if (!isOpen) choices.begin(null);
  else if (key !== question) choices.begin(state.asked);
  else choices.mark();
  question = isOpen ? key : "";
  tell();
  if (state.stage === "over" || state.stage === "lost") finish();
}

course.addEventListener("settled", settle);
course.addEventListener("shown", ({ detail }) => {
  find("hurry").hidden = !course.isBusy;
  find("now").replaceChildren(...tellMove(detail));
  if (course.board) find("start")?.remove();
  list([detail]);
});

function tellMove(move) {
  return [who(move.seat), ` ${move.words.join(" ")} `, dice(move.chance) ?? ""];
}

function who(seat) {
  if (seat === null) return "";
  return make("b", "", `${state.names[seat] ?? ""}:`);
}

function list(moves) {
  const host = find("moves");
  const isAtEnd = host.scrollTop + host.clientHeight >= host.scrollHeight - 40;
  for (const move of moves) {
    const item = make("li", table.own.includes(move.seat) ? "own" : "", ...tellMove(move));
    if (course.byPly.has(move.ply)) {
      const look = make("button", "look", "⌕");
      look.type = "button";
      look.title = words.past;
      look.setAttribute("aria-label", `${words.past}: ${move.words.join(" ")}`);
      look.addEventListener("click", () => past(move.ply));
      item.append(look);
    }
    host.append(item);
  }
  since(host);
  if (isAtEnd) host.scrollTop = host.scrollHeight;
}

// A line before what the others did since one's own last move.
function since(host) {
  host.querySelector(".since")?.classList.remove("since");
  const own = [...host.querySelectorAll(".own")].at(-1);
  const first = own?.nextElementSibling;
  if (first) first.dataset.since = words.since;
  first?.classList.add("since");
}

function past(ply) {
  course.look(ply);
  choices.mark();
  find("present").hidden = !course.isPast;
}

async function choose(form) {
  complain("");
  const key = question; // the next one may come before the answer
  const answer = await send("choose", form);
  if (answer?.status === 204) {
    answered = key;
    if (question === key) choices.begin(null); // also if it was told anew before the answer came
    return null;
  }
  if (answer?.ok) return answer.json();
  if (answer) await refuse(answer);
  else complain(words.lost_connection);
  return null;
}

async function send(what, values) {
  const body = new URLSearchParams({ session: table.session, ...values });
  const options = { method: "POST", body, headers: { accept: "application/json" } };
  return fetch(`${table.address}/${what}`, options).catch(() => null);
}

async function refuse(answer) {
  const told = await answer.json().catch(() => ({ error: words.lost_connection }));
  if (told.kind === "taken") return stop(words.taken_over);
  complain(answer.status === 404 ? words.gone : told.error);
}

function complain(text) {
  find("problem").textContent = text;
  find("problem").hidden = !text;
}

function introduce() {
  for (const item of root.querySelectorAll(".play-seats li")) {
    item.querySelector(".name").textContent = state.names[item.dataset.seat];
  }
  for (const link of root.querySelectorAll("a.to-match")) link.href = state.match;
  find("invitations")?.toggleAttribute("hidden", !state.missing.length);
}

function tell() {
  find("status").textContent = state.is_connected ? status() : words.lost_connection;
  document.title = `${state.asked ? "● " : ""}${state.names.join(" – ")}`;
  for (const item of root.querySelectorAll(".play-seats li")) {
    const seat = Number(item.dataset.seat);
    if (seat === state.decider) item.setAttribute("aria-current", "true");
    else item.removeAttribute("aria-current");
    const rank = state.ending?.ranks[seat];
    item.querySelector(".rank").textContent = rank === undefined ? "" : fill(words.of, { rank });
  }
  const form = find("resign");
  form.hidden = state.stage === "over" || state.stage === "lost";
  form.elements.seat.value = state.seat;
  find("sure").textContent = fill(words.resign_sure, { who: state.person });
  tick();
}

function status() {
  if (state.missing.length) return fill(words.gathering, { who: state.missing.join(", ") });
  if (state.stage === "waiting") return state.restarts ? words.again : words.waiting;
  if (state.stage === "lost") return lost();
  if (state.stage === "over") return verdict();
  if (state.asked && !course.isBusy) return state.restarts && !state.count ? words.again : fill(words.yours, { who: state.person });
  const decider = state.names[state.decider];
  return decider && !table.own.includes(state.decider) ? fill(words.thinking_who, { who: decider }) : words.thinking;
}

function lost() {
  return state.lost === "given_up" ? words.given_up : state.lost || words.lost;
}

function tick() {
  const clock = find("clock");
  clock.hidden = !state?.asked;
  if (clock.hidden) return;
  const gone = (performance.now() - askedAt) / 1000;
  const shown = [];
  if (state.asked.bank_s !== null) shown.push(fill(words.bank, { time: duration(state.asked.bank_s - gone) }));
  const idle = state.asked.idle_left_s - gone;
  if (state.asked.bank_s === null || idle < 300) shown.push(fill(words.idle, { time: duration(idle) }));
  clock.textContent = shown.join(" · ");
}

function duration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function isCovered() {
  return Boolean(state.private) && state.seat !== faced && state.stage !== "over";
}

function cover() {
  const isShut = isCovered();
  root.classList.toggle("is-covered", isShut);
  find("cover").hidden = !isShut;
  find("cover-text").textContent = fill(words.cover, { who: state.person });
  find("uncover").textContent = fill(words.cover_show, { who: state.person });
}

function verdict() {
  const { ending } = state;
  const kinds = { idle: words.over_idle, asked: words.over_resigned };
  return fill(kinds[ending.resigned] ?? words.over, { who: state.person, rank: ending.ranks[state.seat], seats: ending.ranks.length });
}

function finish() {
  find("result").hidden = false;
  find("verdict").textContent = state.ending ? [verdict(), ...state.ending.faults].join(" ") : lost();
  if (state.ending?.scoring.length) {
    const scoring = new Scoring(find("scoring"), { seats: state.names }, words);
    scoring.take(state.ending.scoring);
    scoring.show(state.ending.scoring.length);
  }
  if (state.is_done) stream?.close();
}

function stop(text) {
  isStopped = true;
  stream?.close();
  choices.stop();
  find("status").textContent = text;
  find("clock").hidden = true;
  find("resign").hidden = true;
}

find("hurry").addEventListener("click", () => course.hurry());
find("present").addEventListener("click", () => past(null));
find("uncover").addEventListener("click", () => {
  faced = state.seat;
  cover();
  if (!course.isBusy) settle();
});
find("resign").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await send("resign", { seat: state.seat });
  if (answer && !answer.ok) await refuse(answer);
  event.target.querySelector("details").open = false;
});
for (const copy of root.querySelectorAll("button[data-copy]")) {
  copy.hidden = !navigator.clipboard;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(find(copy.dataset.copy).value);
    copy.textContent = words.copied;
  });
}
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (course.isPast) past(null);
  else if (course.isBusy) course.hurry();
  else choices.back();
});
setInterval(tick, SECOND_MS);
stream = new EventSource(`${table.address}/events?session=${table.session}`);
stream.addEventListener("told", (event) => hear(JSON.parse(event.data)));
stream.addEventListener("taken", () => stop(words.taken_over));

// A bot of the Node kit that does what the words of its command line say, and tells in its notes or on stdout what it saw.

import { spawnSync } from "node:child_process";

import { RESIGN, run } from "../../bots/node/kit/arena_kit.mjs";

const heard = [];

const DEEDS = {
  first: ({ legalActions }) => legalActions[0],
  later: async ({ legalActions }) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return legalActions[1];
  },
  several: () => [2, 1],
  resign: () => RESIGN,
  fail: ({ ply }) => {
    throw new RangeError(`no idea at ply ${ply}`);
  },
  nothing: () => undefined,
  name: ({ names }) => names[0],
  empty: () => [],
  "many notes": (decision) => ((decision.note = "👑".repeat(5000)), 0),
  draw: ({ match }) => match.choice([0, 1, 2]),
  tell: (decision) => {
    const { match, observation, names } = decision;
    const computed = { options: match.options, names, left: decision.secondsLeft(), observation };
    console.log(JSON.stringify({ ...match, ...decision, ...computed }));
    return 0;
  },
  child: (decision) => {
    const child = spawnSync("sh", ["-c", "readlink /proc/self/fd/$ARENA_STREAM_FD || echo closed"]);
    decision.note = String(child.stdout).trim();
    return 0;
  },
  http2: (decision) => ((decision.note = String(process.moduleLoadList.includes("NativeModule http2"))), 0),
  heard: (decision) => ((decision.note = heard.join(", ")), 0),
};
const deed = process.argv[2];

run({
  name: deed,
  games: ["nim", "foreign_king"],
  prepare: () => heard.push("prepare"),
  matchStarted: (match) => heard.push(`started ${match.id}`),
  matchFinished: (match, { result }) => heard.push(`finished ${match.id} as ${result.ranks[match.seat]}`),
  decide: DEEDS[deed],
});

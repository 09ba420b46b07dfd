// @NAME@, a bot for @GAME@.
//
// The arena asks `decide` for every decision of this bot, and plays the action whose id it returns.
// `arena game rules @GAME@` tells the rules and the notation of the actions, kit/messages/ the fields of what a
// bot may see, docs/write-a-bot-in-node.md of the arena everything else.

import { run } from "./kit/arena_kit.mjs";

// How much this bot likes each kind of action; 1 where nothing is said. A start: play better than this.
const WEIGHTS = {
  // The Foreign King
  LOAN: 0.01,
  ACT_KING: 5,
  ACT_BUILD: 5,
  ACT_PLACE: 3,
  // Rex Romanorum
  ACT_HARVEST: 9,
  ACT_ACQUIRE: 9,
  "KEEP:7": 50,
};

/** Return the id of one of `decision.legalActions`. (Or an array: the first answers now, the rest what follows.) */
function decide(decision) {
  const { match, legalActions, names } = decision;

  // What this seat may see: an object of the game's own, null for a game that the kit does not know.
  // Look at it with console.error(decision.observation): `arena match log` shows what a bot writes to stderr.
  const seen = decision.observation;

  // Notation such as "BUILD:ANT:M" says what an action does; what stands before the first colon is its kind.
  const weights = names.map((name) => WEIGHTS[name] ?? WEIGHTS[name.split(":")[0]] ?? 1);

  // match.random() draws from the match's seed, so that a match can be repeated.
  let left = match.random() * weights.reduce((sum, weight) => sum + weight, 0);
  const chosen = weights.findIndex((weight) => (left -= weight) < 0);

  decision.note = `round ${seen?.round ?? "?"}: ${names.at(chosen)} of ${names.length}`; // kept with the replay
  return legalActions.at(chosen); // -1, if rounding leaves something over, is the last
}

run({
  name: "@NAME@",
  games: ["@GAME@"],
  decide,
  /** Forget the last match: one process plays many. `match` tells game, seat, seats, options and clock. */
  matchStarted(match) {},
  /** `finished.result.ranks[match.seat]` is the rank of this bot, `finished.faults` what it did wrong. */
  matchFinished(match, finished) {},
});

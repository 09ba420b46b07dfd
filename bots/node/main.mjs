// A sample bot in JavaScript: rules of thumb for each game in a file of its own, random play in other games.

import { run } from "./kit/arena_kit.mjs";
import * as foreignKing from "./foreign_king.mjs";
import * as rexRomanorum from "./rex_romanorum.mjs";

const CHOOSERS = { foreign_king: foreignKing.choose, rex_romanorum: rexRomanorum.choose };

/** Take the legal action that the game's rules of thumb value most; draw among equals. */
function decide(decision) {
  const value = CHOOSERS[decision.match.game]?.(decision) ?? (() => 0);
  let best = [], most = -Infinity;
  for (const action of decision.legalActions) {
    const worth = value(decision.match.actions[action].split(":"), action);
    if (worth > most) [best, most] = [[], worth];
    if (worth === most) best.push(action);
  }
  decision.note = most.toFixed(1);
  return decision.match.choice(best);
}

run({ name: "node", decide });

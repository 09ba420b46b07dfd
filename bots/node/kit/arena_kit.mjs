// Write a bot: give `run` an object with `decide`.
//
//     import { run } from "./kit/arena_kit.mjs";
//
//     run({
//       decide: (decision) => decision.legalActions[0],
//     });
//
// Besides `decide` the object may have `name` (for logs), `games` (names of the games it plays; all by default) and the
// methods `prepare()`, `matchStarted(match)` and `matchFinished(match, finished)`. Each may be async. docs/write-a-bot.md
// of the arena tells the rest. Node.js 18 or newer.

import { ArenaError, open, play } from "./stream.mjs";
import { ProtocolError, Session } from "./session.mjs";

export { Decision, Match } from "./decision.mjs";
export { AnswerError, ProtocolError, RESIGN } from "./session.mjs";
export { ArenaError } from "./stream.mjs";

const NOT_STARTED =
  "ARENA_ADDRESS is not set: a bot is started by the arena. Add it with `arena bot add DIRECTORY` and play with " +
  "`arena match run --game GAME --bots NAME,random`.\n";

/**
 * Play for the arena that started this process; the promise is kept when the arena closes the stream.
 *
 * The stream is the socket whose descriptor ARENA_STREAM_FD names, or else gRPC to ARENA_ADDRESS with ARENA_TOKEN.
 * Without them one line tells what to do, and the process ends with status 2; if the arena refuses the bot or the bot
 * throws, with 1, and the error stands on stderr.
 *
 * @param {{decide: (decision: import("./decision.mjs").Decision) => number | number[] | symbol | Promise<*>}} bot
 */
export async function run(bot) {
  try {
    const stream = await open(process.env);
    if (stream === null) await end(2, NOT_STARTED);
    await play(new Session(bot), stream);
  } catch (error) {
    const isExpected = error instanceof ArenaError || error instanceof ProtocolError;
    await end(1, `${isExpected ? error.message : (error?.stack ?? error)}\n`);
  }
}

/** End the process once the text is written; the promise is never kept. */
function end(status, text) {
  return new Promise(() => process.stderr.write(text, () => process.exit(status)));
}

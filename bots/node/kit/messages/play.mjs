// Generated from proto/arena/v1/play.proto by `make proto`. Do not edit.
import * as wire from "../wire.mjs";
import * as match from "./match.mjs";

/**
 * First message of a stream.
 * @typedef {object} Join
 * @property {string} name For logs; who the bot is follows from its token.
 * @property {number} protocolMajor
 * @property {number} protocolMinor
 * @property {string[]} games Names of the games it plays; "*" is every game.
 * @property {number} maxConcurrentMatches Only for remote bots; a hosted bot plays one match at a time. 0 stands for 1; below 0, no new match is begun: the bot comes back for those that still run, as if Leave came with its Join.
 * @property {string} version Only for remote bots: the author's own word for this version of the bot, such as "1.4" or a hash. Another word is another version, with a rating of its own.
 */
export const Join = wire.message("arena.v1.Join", [
  [1, "name", wire.string],
  [2, "protocolMajor", wire.int32],
  [3, "protocolMinor", wire.int32],
  [4, "games", wire.repeated(wire.string)],
  [5, "maxConcurrentMatches", wire.int32],
  [6, "version", wire.string],
]);

/**
 * The answer to a Decide.
 * @typedef {object} Act
 * @property {string} matchId
 * @property {number} ply The ply of the Decide it answers.
 * @property {number[]} actions 1 to 64 ids. The first answers the Decide; the rest are applied in order while this seat decides, until a chance outcome or another seat's decision. Forced decisions are the referee's and never part of it.
 * @property {string} note For the replay, at most 1,000 characters (a longer one is MALFORMED); nobody sees it before the match ends.
 */
export const Act = wire.message("arena.v1.Act", [
  [1, "matchId", wire.string],
  [2, "ply", wire.int32],
  [3, "actions", wire.repeated(wire.int32)],
  [4, "note", wire.string],
]);

/**
 * Gives the match up: the seat ranks last, and it is no fault.
 * @typedef {object} Resign
 * @property {string} matchId
 */
export const Resign = wire.message("arena.v1.Resign", [
  [1, "matchId", wire.string],
]);

/**
 * A hosted bot is done and will close its stream. A remote bot wants no new match: it plays on in those that run, and
 * the arena ends the stream when they are over, at once if there are none. From the arena's side the end of the stream
 * says that it is done.
 * @typedef {object} Leave
 */
export const Leave = wire.message("arena.v1.Leave", [
]);

/**
 * From the bot.
 * @typedef {object} PlayRequest
 * @property {?Join} join
 * @property {?Act} act
 * @property {?Resign} resign
 * @property {?Leave} leave
 */
export const PlayRequest = wire.message("arena.v1.PlayRequest", [
  [1, "join", wire.embedded(Join)],
  [2, "act", wire.embedded(Act)],
  [3, "resign", wire.embedded(Resign)],
  [4, "leave", wire.embedded(Leave)],
]);

/**
 * The fixed facts of a game; with it a bot needs none of our code.
 * @typedef {object} GameInfo
 * @property {string} name
 * @property {string} rulesVersion
 * @property {string[]} actions The notation of every action, indexed by its id.
 * @property {string} optionsSchemaJson JSON Schema of the game's options.
 * @property {string} observationType Full name of the observation message in Decide.
 */
export const GameInfo = wire.message("arena.v1.GameInfo", [
  [1, "name", wire.string],
  [2, "rulesVersion", wire.string],
  [3, "actions", wire.repeated(wire.string)],
  [4, "optionsSchemaJson", wire.string],
  [5, "observationType", wire.string],
]);

/**
 * Answer to Join.
 * @typedef {object} Joined
 * @property {number} protocolMajor
 * @property {number} protocolMinor
 * @property {GameInfo[]} games Those of the bot's games that this arena plays. "*" does not bring the games of a family of many, such as OpenSpiel's: MatchStarted tells of the one that is played.
 */
export const Joined = wire.message("arena.v1.Joined", [
  [1, "protocolMajor", wire.int32],
  [2, "protocolMinor", wire.int32],
  [3, "games", wire.repeated(wire.embedded(GameInfo))],
]);

/**
 * A match begins; no answer is expected.
 * @typedef {object} MatchStarted
 * @property {string} matchId
 * @property {string} game
 * @property {string} rulesVersion
 * @property {number} seat The seat of this bot, 0-based.
 * @property {number} seats
 * @property {string} optionsJson All options with their values, as a JSON object.
 * @property {?import("./match.mjs").Clock} clock
 * @property {number} cores Processor cores granted to this bot.
 * @property {number} seed For the bot's own randomness, below 2^53. The match's chance cannot be computed from it.
 * @property {boolean} resumed This stream takes over a seat that is already playing (remote bots only).
 * @property {import("./match.mjs").Event[]} events What happened before: the opening, or everything when resumed.
 * @property {?GameInfo} gameInfo The facts of the game, if it is one of a family of many: Joined tells of those only to a bot that names them.
 */
export const MatchStarted = wire.message("arena.v1.MatchStarted", [
  [1, "matchId", wire.string],
  [2, "game", wire.string],
  [3, "rulesVersion", wire.string],
  [4, "seat", wire.int32],
  [5, "seats", wire.int32],
  [6, "optionsJson", wire.string],
  [7, "clock", wire.embedded(match.Clock)],
  [8, "cores", wire.int32],
  [9, "seed", wire.int64],
  [10, "resumed", wire.bool],
  [11, "events", wire.repeated(wire.embedded(match.Event))],
  [12, "gameInfo", wire.embedded(GameInfo)],
]);

/**
 * The bot must choose; the clock runs from when this was handed to the transport.
 * @typedef {object} Decide
 * @property {string} matchId
 * @property {number} ply
 * @property {?{typeUrl: string, value: Uint8Array}} observation What this seat may see, in the game's own message.
 * @property {number[]} legalActions Legal action ids, ascending.
 * @property {import("./match.mjs").Event[]} events What this seat may see of all plies since it last heard.
 * @property {number} bankUs Time left in the bank; 0 without a bank.
 * @property {number} timeLimitUs Longest time for this decision, bank included; the margin is not counted. 0 = no limit.
 * @property {number} droppedActions How many ids of this bot's last Act were dropped (chance, another seat or the end came first).
 */
export const Decide = wire.message("arena.v1.Decide", [
  [1, "matchId", wire.string],
  [2, "ply", wire.int32],
  [3, "observation", wire.embedded(wire.Any)],
  [4, "legalActions", wire.repeated(wire.int32)],
  [5, "events", wire.repeated(wire.embedded(match.Event))],
  [6, "bankUs", wire.int64],
  [7, "timeLimitUs", wire.int64],
  [8, "droppedActions", wire.int32],
]);

/**
 * The match is over for this bot.
 * @typedef {object} MatchFinished
 * @property {string} matchId
 * @property {?import("./match.mjs").Result} result Absent if the arena broke the match off, which then counts for nothing (remote bots only).
 * @property {import("./match.mjs").Fault[]} faults This bot's own faults.
 * @property {import("./match.mjs").Event[]} events What happened since this seat last heard.
 */
export const MatchFinished = wire.message("arena.v1.MatchFinished", [
  [1, "matchId", wire.string],
  [2, "result", wire.embedded(match.Result)],
  [3, "faults", wire.repeated(wire.embedded(match.Fault))],
  [4, "events", wire.repeated(wire.embedded(match.Event))],
]);

/**
 * To the bot. An event that a bot does not know is to be ignored.
 * @typedef {object} PlayResponse
 * @property {?Joined} joined
 * @property {?MatchStarted} matchStarted
 * @property {?Decide} decide
 * @property {?MatchFinished} matchFinished
 */
export const PlayResponse = wire.message("arena.v1.PlayResponse", [
  [1, "joined", wire.embedded(Joined)],
  [2, "matchStarted", wire.embedded(MatchStarted)],
  [3, "decide", wire.embedded(Decide)],
  [4, "matchFinished", wire.embedded(MatchFinished)],
]);

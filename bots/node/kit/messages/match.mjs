// Generated from proto/arena/v1/match.proto by `make proto`. Do not edit.
import * as wire from "../wire.mjs";

/**
 * Why a seat stopped playing.
 * @enum {number}
 */
export const FaultCause = Object.freeze({
  FAULT_CAUSE_UNSPECIFIED: 0,
  FAULT_CAUSE_START_FAILED: 1,
  FAULT_CAUSE_PROTOCOL: 2,
  FAULT_CAUSE_TIMEOUT: 3,
  FAULT_CAUSE_MALFORMED: 4,
  FAULT_CAUSE_ILLEGAL_ACTION: 5,
  FAULT_CAUSE_DISCONNECTED: 6,
  FAULT_CAUSE_RESOURCE: 7,
  FAULT_CAUSE_FLOOD: 8,
});

/**
 * The two ways a clock can run together; all durations are microseconds of the monotonic clock.
 * @typedef {object} Clock
 * @property {number} decisionLimitUs Longest time for one decision; 0 = no limit per decision.
 * @property {number} bankUs Time for all decisions together at the start; 0 with increment 0 = no bank.
 * @property {number} incrementUs Added to the bank after each decision that was sent (a forced one is not).
 * @property {number} startLimitUs Longest time from the start of a process to its Join.
 * @property {number} marginUs Lateness up to this much is no fault.
 */
export const Clock = wire.message("arena.v1.Clock", [
  [1, "decisionLimitUs", wire.int64],
  [2, "bankUs", wire.int64],
  [3, "incrementUs", wire.int64],
  [4, "startLimitUs", wire.int64],
  [5, "marginUs", wire.int64],
]);

/**
 * What a seat did wrong, told only to its own bot.
 * @typedef {object} Fault
 * @property {number} cause
 * @property {number} ply The ply that was to be decided.
 * @property {string} explanation One sentence for people.
 */
export const Fault = wire.message("arena.v1.Fault", [
  [1, "cause", wire.int32],
  [2, "ply", wire.int32],
  [3, "explanation", wire.string],
]);

/**
 * How a match ended.
 * @typedef {object} Result
 * @property {number[]} ranks Rank of each seat, 1 = best, ties share (1, 1, 3).
 * @property {boolean} byRules Whether the game reached its own end (otherwise one unforfeited seat was left, or none).
 * @property {number[]} forfeitedSeats Seats that forfeited, the earliest first. Resigning forfeits without a fault.
 * @property {string} detailsJson What the game adds, as JSON; empty unless by_rules.
 */
export const Result = wire.message("arena.v1.Result", [
  [1, "ranks", wire.repeated(wire.int32)],
  [2, "byRules", wire.bool],
  [3, "forfeitedSeats", wire.repeated(wire.int32)],
  [4, "detailsJson", wire.string],
]);

/**
 * One public outcome of chance.
 * @typedef {object} Reveal
 * @property {string} kind A kind of the game's own, such as "d6" or "card".
 * @property {number[]} values
 */
export const Reveal = wire.message("arena.v1.Reveal", [
  [1, "kind", wire.string],
  [2, "values", wire.repeated(wire.int32)],
]);

/**
 * An action that was applied.
 * @typedef {object} Event
 * @property {number} ply
 * @property {number} seat
 * @property {number} action -1 for an action of another seat that this one may not know.
 * @property {boolean} forced It was the only legal one and the referee played it.
 * @property {Reveal[]} reveals
 */
export const Event = wire.message("arena.v1.Event", [
  [1, "ply", wire.int32],
  [2, "seat", wire.int32],
  [3, "action", wire.int32],
  [4, "forced", wire.bool],
  [5, "reveals", wire.repeated(wire.embedded(Reveal))],
]);

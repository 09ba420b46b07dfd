// Generated from proto/arena/games/openspiel/v1/state.proto by `make proto`. Do not edit.
import * as wire from "../wire.mjs";

/**
 * A position as one seat sees it.
 * @typedef {object} OpenSpielState
 * @property {number} version
 * @property {string} game The arena's name of the game, with the parameters that are not the default: openspiel_go:board_size=9.
 * @property {number} turn The seat that decides; -1 after the end.
 * @property {string} text The position in OpenSpiel's words. Where nothing is hidden, what its `to_string` returns: in chess the FEN. Otherwise the information state of the seat that looks, or its observation if the game has no information states.
 * @property {number[]} history Only where nothing is hidden: all actions so far in OpenSpiel's numbers, those of chance among them. Applied one after another to a new state of OpenSpiel they lead to this position.
 * @property {number} observer Only where something is hidden: the seat that looks.
 * @property {number[]} legal Only where something is hidden and the seat that looks decides: the legal actions, ascending.
 * @property {number[]} ranks Only where something is hidden, after the end: the rank of each seat, 1 = best.
 * @property {string[]} words Only where something is hidden: the words for the legal actions, in their order; empty for a game whose words for an action differ from position to position, since they might tell what is hidden.
 * @property {boolean} knowsLastAction Only where something is hidden: whether the seat that looks knows which action was the last.
 * @property {number[]} sample Only where something is hidden, and OpenSpiel can draw positions that look the same to a seat: the history of one, in OpenSpiel's numbers. It follows from what the seat sees and from nothing else.
 */
export const OpenSpielState = wire.message("arena.games.openspiel.v1.OpenSpielState", [
  [1, "version", wire.int32],
  [2, "game", wire.string],
  [3, "turn", wire.sint32],
  [4, "text", wire.string],
  [5, "history", wire.repeated(wire.int32)],
  [6, "observer", wire.sint32],
  [7, "legal", wire.repeated(wire.int32)],
  [8, "ranks", wire.repeated(wire.int32)],
  [9, "words", wire.repeated(wire.string)],
  [10, "knowsLastAction", wire.bool],
  [11, "sample", wire.repeated(wire.int32)],
]);

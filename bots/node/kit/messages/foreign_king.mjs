// Generated from proto/arena/games/foreign_king/v1/state.proto by `make proto`. Do not edit.
import * as wire from "../wire.mjs";

/**
 * What is being decided; the numbers are those of the rules' table of phases plus one.
 * @enum {number}
 */
export const Phase = Object.freeze({
  PHASE_UNSPECIFIED: 0,
  PHASE_TURN: 1,
  PHASE_QUEEN_SUB: 2,
  PHASE_BUILD: 3,
  PHASE_PLACE_P: 4,
  PHASE_PLACE_N: 5,
  PHASE_MOVE_FROM: 6,
  PHASE_MOVE_TO: 7,
  PHASE_CONGRESS: 8,
  PHASE_KING_TO: 9,
  PHASE_KING_LEN: 10,
  PHASE_CONGRESS_ASK: 11,
  PHASE_INACTIVATE: 12,
  PHASE_VIRT: 13,
  PHASE_VIRT_TO: 14,
  PHASE_POST: 15,
  PHASE_ORDER: 16,
  PHASE_END: 17,
});

/**
 * Which edition's switches were the defaults of the other options.
 * @enum {number}
 */
export const Rulebook = Object.freeze({
  RULEBOOK_UNSPECIFIED: 0,
  RULEBOOK_CANONICAL: 1,
  RULEBOOK_EN: 2,
  RULEBOOK_DE: 3,
  RULEBOOK_IT: 4,
  RULEBOOK_FR: 5,
});

/**
 * The options of the match.
 * @typedef {object} Options
 * @property {number} rulebook
 * @property {boolean} queenOccupiedByOthers The Queen reaches only spaces with another seat's pawn (otherwise any of the other seven).
 * @property {boolean} congressOnEmpty
 * @property {number} virtualDiscs
 * @property {boolean} virtualCanWin
 * @property {number} bank All Francs of the game; 0 = unlimited.
 * @property {number} maxRounds
 */
export const Options = wire.message("arena.games.foreign_king.v1.Options", [
  [1, "rulebook", wire.int32],
  [2, "queenOccupiedByOthers", wire.bool],
  [3, "congressOnEmpty", wire.bool],
  [4, "virtualDiscs", wire.int32],
  [5, "virtualCanWin", wire.bool],
  [6, "bank", wire.int32],
  [7, "maxRounds", wire.int32],
]);

/**
 * A whole position; nothing in the game is hidden. Colours are the seats in order and, with 2 seats, the virtual
 * player after them. Provinces are 0 to 8 in the order ANT, BRA, WFL, EFL, HAI, LIE, LIM, LUX, NAM.
 * @typedef {object} ForeignKingState
 * @property {number} version
 * @property {number} seats
 * @property {number} phase
 * @property {number} seat The seat that decides; -1 at the end.
 * @property {number} active The seat whose turn it is; in PHASE_ORDER the claimant.
 * @property {number} round
 * @property {number[]} order Seats in the order of turns.
 * @property {number} king Province of the King; 9 = portrait.
 * @property {number} marker
 * @property {number[]} scores Per colour.
 * @property {number[]} hand
 * @property {number[]} congress Discs in the Congress, per colour.
 * @property {number[]} discs discs[colour * 9 + province]
 * @property {number[]} francs Per seat. Medals are counted on either side; loans are those of them that are face down.
 * @property {number[]} medals
 * @property {number[]} loans
 * @property {number[]} pawns The space of each seat's pawn as the id of its ACT_* action; -1 before its first turn.
 * @property {number[]} factories factories[province] = active metallurgical + 8 * active textile + 64 * inactive metallurgical + 512 * inactive textile
 * @property {number[]} supply Left in the supply: metallurgical, textile.
 * @property {number[]} claims Seats that claimed a change of order this round, in the order of their claims.
 * @property {?Options} options
 * @property {number} pendingProvince PLACE_N, KING_LEN: the destination. MOVE_TO, VIRT_TO: the source.
 * @property {number} pendingSteps MOVE_TO: steps of the Move so far.
 * @property {number} pendingLast MOVE_TO: the last destination, 9 = hand; the next is not smaller. 0 before the first step.
 * @property {number[]} pendingAsked CONGRESS_ASK: seats still to be asked, the decider first.
 * @property {number} pendingUnits VIRT, VIRT_TO: units left, the one in hand included.
 * @property {number} pendingUsed POST: 8 (LOAN) or 9 (REPAY) once one was used in it.
 */
export const ForeignKingState = wire.message("arena.games.foreign_king.v1.ForeignKingState", [
  [1, "version", wire.int32],
  [2, "seats", wire.int32],
  [3, "phase", wire.int32],
  [4, "seat", wire.sint32],
  [5, "active", wire.int32],
  [6, "round", wire.int32],
  [7, "order", wire.repeated(wire.int32)],
  [8, "king", wire.int32],
  [9, "marker", wire.int32],
  [10, "scores", wire.repeated(wire.int32)],
  [11, "hand", wire.repeated(wire.int32)],
  [12, "congress", wire.repeated(wire.int32)],
  [13, "discs", wire.repeated(wire.int32)],
  [14, "francs", wire.repeated(wire.int32)],
  [15, "medals", wire.repeated(wire.int32)],
  [16, "loans", wire.repeated(wire.int32)],
  [17, "pawns", wire.repeated(wire.sint32)],
  [18, "factories", wire.repeated(wire.int32)],
  [19, "supply", wire.repeated(wire.int32)],
  [20, "claims", wire.repeated(wire.int32)],
  [21, "options", wire.embedded(Options)],
  [22, "pendingProvince", wire.int32],
  [23, "pendingSteps", wire.int32],
  [24, "pendingLast", wire.int32],
  [25, "pendingAsked", wire.repeated(wire.int32)],
  [26, "pendingUnits", wire.int32],
  [27, "pendingUsed", wire.int32],
]);

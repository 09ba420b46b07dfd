// Generated from proto/arena/games/rex_romanorum/v1/state.proto by `make proto`. Do not edit.
import * as wire from "../wire.mjs";

/**
 * What is being decided; the numbers are those of the rules' table of phases plus one.
 * @enum {number}
 */
export const Phase = Object.freeze({
  PHASE_UNSPECIFIED: 0,
  PHASE_TURN: 1,
  PHASE_KEEP: 2,
  PHASE_GARRISON: 3,
  PHASE_BUILD: 4,
  PHASE_MOVE_FROM: 5,
  PHASE_MOVE_TO: 6,
  PHASE_COUNT: 7,
  PHASE_PLACE: 8,
  PHASE_RAZE: 9,
  PHASE_FIGHT: 10,
  PHASE_FIGHT_ON: 11,
  PHASE_STAND: 12,
  PHASE_BISHOP_VOTE: 13,
  PHASE_OFFER: 14,
  PHASE_KING_VOTE: 15,
  PHASE_END: 16,
});

/**
 * The action that is being carried out.
 * @typedef {object} Pending
 * @property {number} action Its id: 0 ACT_ACQUIRE, 2 ACT_BUILD, 3 ACT_MUSTER, 4 ACT_ATTACK, 5 to 7 ACT_BISHOP, 8 ACT_KING.
 * @property {Uint8Array} bought The regions just bought.
 * @property {number[]} built Ids of the buildings of this action.
 * @property {number} source Figures that are moving, plus 1; 0 when figures are placed.
 * @property {number} target Where they go, plus 1: a region when they move, figures when they are placed; in PHASE_RAZE and PHASE_FIGHT_ON the region it is about.
 * @property {number} last The last source or placement (figures), plus 1, and the region the last move ended in, plus 1.
 * @property {number} lastTo
 * @property {number[]} arrivedFigures Figures that moved this turn, and how many; in foreign regions they are the attackers.
 * @property {number[]} arrivedNumbers
 * @property {Uint8Array} undefended Attacked regions still to be conquered without a fight, and those still to be fought for.
 * @property {Uint8Array} contested
 */
export const Pending = wire.message("arena.games.rex_romanorum.v1.Pending", [
  [1, "action", wire.int32],
  [2, "bought", wire.bytes],
  [3, "built", wire.repeated(wire.int32)],
  [4, "source", wire.int32],
  [5, "target", wire.int32],
  [6, "last", wire.int32],
  [7, "lastTo", wire.int32],
  [8, "arrivedFigures", wire.repeated(wire.int32)],
  [9, "arrivedNumbers", wire.repeated(wire.int32)],
  [10, "undefended", wire.bytes],
  [11, "contested", wire.bytes],
]);

/**
 * An election under way.
 * @typedef {object} Election
 * @property {number} diocese Plus 1; 0 is the royal election.
 * @property {number[]} asked Seats in the order in which they are asked to stand, and then vote for a bishop.
 * @property {number} at Index of who is asked now: into `candidates` in PHASE_OFFER, else into `asked`.
 * @property {number[]} candidates In the order of candidacy; and those of the ballot under way.
 * @property {number[]} ballot
 * @property {boolean} runoff
 * @property {number[]} votes Per seat, in the ballot under way.
 * @property {number} cast Votes the deciding church owner has cast in this ballot, and the seat of his last one.
 * @property {number} lowest
 * @property {number} elector How many of the king's electors are done with: an index into the order of voting.
 * @property {number[]} offers What each seat offers the elector who votes next.
 */
export const Election = wire.message("arena.games.rex_romanorum.v1.Election", [
  [1, "diocese", wire.int32],
  [2, "asked", wire.repeated(wire.int32)],
  [3, "at", wire.int32],
  [4, "candidates", wire.repeated(wire.int32)],
  [5, "ballot", wire.repeated(wire.int32)],
  [6, "runoff", wire.bool],
  [7, "votes", wire.repeated(wire.int32)],
  [8, "cast", wire.int32],
  [9, "lowest", wire.int32],
  [10, "elector", wire.int32],
  [11, "offers", wire.repeated(wire.int32)],
]);

/**
 * What everybody may see of a position: everything but the order of the pile.
 * @typedef {object} RexRomanorumState
 * @property {number} version
 * @property {number} seats
 * @property {number} phase
 * @property {number} seat The seat that decides, plus 1; 0 at the end.
 * @property {number} active The seat whose turn it is.
 * @property {number} round
 * @property {boolean} final Whether the last royal election, after the last round, is held.
 * @property {number} king The king's seat, plus 1.
 * @property {number[]} gold Per seat.
 * @property {number[]} titles The holder of mainz, koeln, trier, pfalz, sachsen, brandenburg, boehmen, plus 1 each.
 * @property {Uint8Array} owners Per region its owner, plus 1.
 * @property {Uint8Array} churches Per region the diocese of its church, plus 1.
 * @property {bigint} castles Regions with a castle: bit i is region i.
 * @property {number[]} foot Per region; while their owner moves, the figures that have not moved.
 * @property {number[]} archers
 * @property {number[]} knights
 * @property {Uint8Array} pile Regions whose cards are in the pile, ascending: their order is hidden.
 * @property {Uint8Array} discards Regions whose cards were rejected, the oldest first.
 * @property {Uint8Array} drawn The cards drawn and not yet decided on, in the order drawn.
 * @property {?Pending} pending Absent while an action is being chosen, and at the end.
 * @property {?Election} election Absent outside elections.
 * @property {string} optionsJson The options that differ from their defaults, as a JSON object.
 */
export const RexRomanorumState = wire.message("arena.games.rex_romanorum.v1.RexRomanorumState", [
  [1, "version", wire.int32],
  [2, "seats", wire.int32],
  [3, "phase", wire.int32],
  [4, "seat", wire.int32],
  [5, "active", wire.int32],
  [6, "round", wire.int32],
  [7, "final", wire.bool],
  [8, "king", wire.int32],
  [9, "gold", wire.repeated(wire.int32)],
  [10, "titles", wire.repeated(wire.int32)],
  [11, "owners", wire.bytes],
  [12, "churches", wire.bytes],
  [13, "castles", wire.fixed64],
  [14, "foot", wire.repeated(wire.int32)],
  [15, "archers", wire.repeated(wire.int32)],
  [16, "knights", wire.repeated(wire.int32)],
  [17, "pile", wire.bytes],
  [18, "discards", wire.bytes],
  [19, "drawn", wire.bytes],
  [20, "pending", wire.embedded(Pending)],
  [21, "election", wire.embedded(Election)],
  [22, "optionsJson", wire.string],
]);

// Rules of thumb for Rex Romanorum: buy land, let it pay, and be the richest at the end.
//
// What is bought counts at its price, so only harvests make a seat richer; king and richest share the first place.

const BISHOPS = { mainz: 0, koeln: 1, trier: 2 };
const HARVEST_CAP = 100;
const PRICE = 5;

/**
 * Return what values an action of this decision: a function of its notation, split at the colons.
 * @param {import("./kit/decision.mjs").Decision} decision
 */
export function choose(decision) {
  const realm = new Realm(decision.observation, decision.match);
  return ([verb, ...words]) => VALUES[verb]?.(realm, ...words) ?? 0;
}

/** A position as one seat sees it. */
class Realm {
  /** @param {import("./kit/messages/rex_romanorum.mjs").RexRomanorumState} state */
  constructor(state, { seat, seats, options }) {
    this.state = state;
    this.seat = seat;
    this.seats = seats;
    this.gold = state.gold[seat];
    this.roundsLeft = options.round_limit - state.round;
    this.regions = [...state.owners.keys()].filter((region) => state.owners[region] === seat + 1);
    this.churches = this.regions.filter((region) => state.churches[region]).length;
    this.titles = state.titles.filter((holder) => holder === seat + 1).length;
  }

  /** What a harvest pays. */
  get income() {
    return Math.min(HARVEST_CAP, 2 * this.regions.length + this.churches + 2 * this.titles);
  }

  /** How many more harvests something bought now will be counted in, when every second turn is one. */
  get harvests() {
    return Math.min(8, this.roundsLeft / 2);
  }

  /** Churches of a diocese in our regions, less those in the regions of others. */
  chapter(diocese) {
    const { churches, owners } = this.state;
    let lead = 0;
    churches.forEach((church, region) => {
      if (church === diocese + 1 && owners[region]) lead += owners[region] === this.seat + 1 ? 1 : -1;
    });
    return lead;
  }

  /** The wealth of a seat but for its figures. */
  wealth(seat) {
    const { owners, churches, castles, gold, titles } = this.state;
    let total = gold[seat] + PRICE * titles.filter((holder) => holder === seat + 1).length;
    owners.forEach((owner, region) => {
      if (owner !== seat + 1) return;
      total += PRICE * (1 + (churches[region] ? 1 : 0) + Number((castles >> BigInt(region)) & 1n));
    });
    return total;
  }

  /** Whether we are richer than all others even after so much gold has changed hands. */
  isRichest(margin) {
    const own = this.wealth(this.seat) - margin;
    return [...Array(this.seats).keys()].every((seat) => seat === this.seat || own > this.wealth(seat));
  }
}

// The value of each kind of action, in gold.
const VALUES = {
  ACT_HARVEST: (realm) => realm.income,
  ACT_ACQUIRE: (realm) => {
    const { pile, discards } = realm.state;
    const cards = Math.min(3, pile.length + discards.length, Math.floor(realm.gold / PRICE));
    return 2 * cards * realm.harvests;
  },
  ACT_BUILD: (realm) => (realm.gold >= 2 * PRICE ? 2 * realm.harvests : -1),
  ACT_MUSTER: (realm) => (realm.gold >= 25 ? 0.5 * realm.harvests : -1),
  ACT_ATTACK: () => -2,
  ACT_BISHOP: (realm, diocese) => {
    const isOurs = realm.state.titles[BISHOPS[diocese]] === realm.seat + 1;
    return !isOurs && realm.chapter(BISHOPS[diocese]) > 0 ? 2 * realm.harvests + 5 : -5;
  },
  // Called only if it is won by our own votes, or if we stay the richest whoever is elected.
  ACT_KING: (realm) => (realm.titles >= 4 ? 1000 : -10),
  KEEP: (_, subset) => [0, 1, 1, 2, 1, 2, 2, 3][subset],
  PLACE_DONE: () => 1,
  COUNT: (_, number) => -Number(number),
  CHURCH: () => 2,
  CASTLE: () => -2,
  MOVE_DONE: () => 1,
  FIGHT_ON: () => -1,
  KEEP_CASTLE: () => 1,
  STAND: () => 1,
  VOTE: (realm, seat) => (Number(seat) === realm.seat ? 3 : realm.isRichest(20) ? 1 : -1),
  OFFER: (_, gold) => -Number(gold),
};

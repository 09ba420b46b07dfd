// Rules of thumb for The Foreign King: lead where factories are, bring the King there, keep off loans.

const PROVINCES = ["ANT", "BRA", "WFL", "EFL", "HAI", "LIE", "LIM", "LUX", "NAM"];
const PORTRAIT = 9;
const NEIGHBOURS = {
  ANT: "BRA EFL LIM", BRA: "ANT EFL HAI LIE LIM NAM", WFL: "EFL HAI", EFL: "ANT BRA WFL HAI", HAI: "BRA WFL EFL NAM",
  LIE: "BRA LIM LUX NAM", LIM: "ANT BRA LIE", LUX: "LIE NAM", NAM: "BRA HAI LIE LUX",
};

/**
 * Return what values an action of this decision: a function of its notation, split at the colons.
 * @param {import("./kit/decision.mjs").Decision} decision
 */
export function choose(decision) {
  const table = new Table(decision.observation, decision.match.seat);
  return ([verb, ...words]) => VALUES[verb]?.(table, ...words) ?? 0;
}

/** A position as one seat sees it. @property {import("./kit/messages/foreign_king.mjs").ForeignKingState} state */
class Table {
  constructor(state, seat) {
    this.state = state;
    this.seat = seat;
    this.francs = state.francs[seat];
    this.hand = state.hand[seat];
  }

  /** Discs of ours in a province, less those of the colour that has most of the others. */
  lead(province) {
    const { discs, scores } = this.state;
    const others = scores.map((_, colour) => (colour === this.seat ? 0 : discs[colour * 9 + province]));
    return discs[this.seat * 9 + province] - Math.max(...others);
  }

  /** Points that the active factories of a province bring when the King comes. */
  harvest(province) {
    const packed = this.state.factories[province];
    return 6 * (packed & 7) + 3 * ((packed >> 3) & 7);
  }

  isUnbuilt(province) {
    return this.state.factories[province] === 0;
  }

  /** What we gain if the King comes to a province, less what another gains. */
  visit(province) {
    const own = this.state.discs[this.seat * 9 + province];
    if (this.lead(province) > 0) return this.harvest(province) || Math.floor(own / 3);
    return this.lead(province) < 0 ? -this.harvest(province) - 1 : -1;
  }

  /** Provinces that the King reaches with our Francs, roughly. */
  reachable() {
    const all = PROVINCES.keys();
    if (this.state.king === PORTRAIT) return [...all];
    const steps = distances(PROVINCES[this.state.king]);
    return [...all].filter((province) => steps[province] > 0 && steps[province] <= this.francs + 1);
  }
}

function distances(start) {
  const found = { [start]: 0 };
  const queue = [start];
  for (const here of queue) {
    for (const there of NEIGHBOURS[here].split(" ")) {
      if (!(there in found)) queue.push(there), (found[there] = found[here] + 1);
    }
  }
  return PROVINCES.map((province) => found[province]);
}

const at = (province) => PROVINCES.indexOf(province);
const best = (provinces, value) => Math.max(-Infinity, ...[...provinces].map(value));

/** What it is worth to put a few discs into a province: to come to lead where much is to be had. */
function placing(table, province) {
  const lead = table.lead(province);
  const prize = table.harvest(province) + (table.isUnbuilt(province) ? 1 : 2);
  if (lead > 2) return 0.1;
  return lead > 0 ? 0.3 * prize : prize / (1 + Math.max(0, -lead - table.francs));
}

/** What a new factory is worth in a province: points for whoever leads there, and a medal for its first one. */
function building(table, province, kind = "M") {
  const points = (kind === "M" ? 6 : 3) * (table.lead(province) > 0 ? 1 : table.lead(province) < 0 ? -0.5 : 0.3);
  return points + (table.isUnbuilt(province) ? 4 : 0);
}

// The value of each kind of action, in points.
const VALUES = {
  ACT_KING: (table) => best(table.reachable(), (province) => table.visit(province)),
  ACT_BUILD: (table) => 0.6 * best(PROVINCES.keys(), (province) => building(table, province)),
  ACT_PLACE: (table) => (table.hand ? 0.7 * best(PROVINCES.keys(), (province) => placing(table, province)) : -1),
  ACT_COINS: (table) => (table.francs < 3 ? 4 : table.francs < 6 ? 2 : 0.5),
  ACT_CONGRESS: (table) => 1.5 - 0.5 * table.state.congress[table.seat],
  ACT_CHANGE: () => 0.8,
  ACT_QUEEN: () => 0.7,
  ACT_MOVE: () => -1,
  LOAN: () => -10,
  REPAY: (table) => (table.francs >= 7 ? 3 : -1),
  BUILD: (table, province, kind) => building(table, at(province), kind),
  PLACE: (table, province) => placing(table, at(province)),
  // The first disc is free; further ones until we lead by two, and a Franc is kept.
  PLACE_N: (table, number) => {
    const wanted = 2 - table.lead(table.state.pendingProvince);
    return -Math.abs(Math.max(1, Math.min(wanted, table.francs)) - Number(number));
  },
  CONGRESS_FROM: (table, province) => (table.lead(at(province)) > 2 ? 1 : -1),
  KING_TO: (table, province) => table.visit(at(province)),
  KING_LEN: (_, length) => -Number(length),
  CONGRESS_GO: (table) => {
    const king = table.state.king;
    const lead = table.lead(king) + table.state.congress[table.seat];
    return lead > 0 && table.harvest(king) >= 3 ? 1 : -1;
  },
  INACT_METAL: (table) => (table.lead(table.state.king) < 0 ? 1 : -1),
  // Discs of the virtual player go where the opponent leads, and away from where we do.
  VIRT_PLACE: (table, province) => -table.lead(at(province)),
  VIRT_FROM: () => -5,
  VIRT_TO: (table, province) => -table.lead(at(province)),
  MOVE_STOP: () => 1,
  MOVE_OFF: () => -1,
  ORDER_POS: (_, place) => -Number(place),
};

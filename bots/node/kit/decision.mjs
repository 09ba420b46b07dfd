// What a bot is told: the match it is in, and one decision of it. Values only, no I/O.

import { GAMES } from "./messages/games.mjs";

const KINDS = new Map(GAMES.flatMap(Object.values).filter((kind) => kind.decode).map((kind) => [kind.name, kind]));

/** A function that draws numbers from 0 to below 1, the same ones for the same seed (the generator is sfc32). */
export function makeRandom(seed) {
  let a = seed >>> 0, b = Math.floor(seed / 2 ** 32) >>> 0, c = 0x9e3779b9, counter = 1;
  const next = () => {
    const sum = (((a + b) | 0) + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let warm = 0; warm < 12; warm++) next();
  return next;
}

/** One playing of a game, as told to one seat when it began. */
export class Match {
  #options;
  #optionsJson;

  constructor(started, gameInfo) {
    this.id = started.matchId;
    this.game = started.game;
    /** The version of the rules that the arena plays by. */
    this.rulesVersion = started.rulesVersion;
    /** The seat of this bot, from 0, and how many seats there are. */
    this.seat = started.seat;
    this.seats = started.seats;
    /** The time control in microseconds, 0 where there is none: decisionLimitUs, bankUs, incrementUs, marginUs. */
    this.clock = started.clock;
    /** Processor cores granted to this bot. */
    this.cores = started.cores;
    this.seed = started.seed;
    /** Draws a number from 0 to below 1; a bot that draws from here alone plays equal matches equally. */
    this.random = makeRandom(started.seed);
    /** What was played before this bot was told: the opening, or everything if `resumed`. */
    this.events = started.events;
    this.resumed = started.resumed;
    /** The notation of every action of the game, indexed by its id. */
    this.actions = gameInfo.actions;
    /** The full name of the game's own message, which `Decision.observation` is. */
    this.observationType = gameInfo.observationType;
    this.#optionsJson = started.optionsJson || "{}";
  }

  /** All options of the game with their values. */
  get options() {
    this.#options ??= JSON.parse(this.#optionsJson);
    return this.#options;
  }

  /** Draw one item of a list by `random`. */
  choice(list) {
    return list[Math.floor(this.random() * list.length)];
  }
}

/** A point where this bot must choose. */
export class Decision {
  #observation;
  #message;
  #arrived;

  /** `arrived` is the performance.now() at which the message came. */
  constructor(match, message, arrived) {
    this.match = match;
    this.#message = message;
    this.#arrived = arrived;
    /** The index of the action to be chosen, counted from the start of the match. */
    this.ply = message.ply;
    /** The ids that may be answered, ascending; at least two. */
    this.legalActions = message.legalActions;
    /** The plies since this bot last heard, its own included: seat, action, forced, and what chance revealed. */
    this.events = message.events;
    /** How many ids of the bot's last answer were not played (chance, another seat or the end came first). */
    this.droppedActions = message.droppedActions;
    /** The longest time for this decision, bank included, in microseconds; 0 = no limit. */
    this.timeLimitUs = message.timeLimitUs;
    /** Microseconds left in the bank; 0 without a bank. */
    this.bankUs = message.bankUs;
    /** Set it to keep a remark with the replay (its first 1,000 characters); nobody sees it before the match ends. */
    this.note = "";
  }

  /** The notation of each legal action, in the order of `legalActions`. */
  get names() {
    return this.legalActions.map((action) => this.match.actions[action]);
  }

  /** The game's own message, serialized, for games that this kit does not know. */
  get observationBytes() {
    return this.#message.observation?.value ?? new Uint8Array(0);
  }

  /**
   * What this seat may see, as the game's own message (messages/GAME.mjs tells its fields); read when first asked for.
   * `null` if this kit does not know the message.
   */
  get observation() {
    if (this.#observation === undefined) {
      const kind = KINDS.get(this.#message.observation?.typeUrl.split("/").pop());
      this.#observation = kind ? kind.decode(this.observationBytes) : null;
    }
    return this.#observation;
  }

  /** Seconds until the limit of this decision, counted from its arrival; Infinity without a limit. */
  secondsLeft() {
    if (!this.timeLimitUs) return Infinity;
    return this.timeLimitUs / 1e6 - (performance.now() - this.#arrived) / 1e3;
  }
}

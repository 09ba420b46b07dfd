// A bot's side of the stream without the stream: a message comes in, and perhaps one goes out. No I/O.

import { Decision, Match } from "./decision.mjs";

export const PROTOCOL_MAJOR = 1;
export const PROTOCOL_MINOR = 0;
const MAX_ACTIONS = 64;
const MAX_NOTE = 1000;

/** Return it from `decide` to give the match up: the seat ranks last, and it is no fault. */
export const RESIGN = Symbol("RESIGN");

/** The arena speaks another protocol, or a message came out of order. */
export class ProtocolError extends Error {
  name = "ProtocolError";
}

/** `decide` returned something that is no answer. */
export class AnswerError extends TypeError {
  name = "AnswerError";
}

/** What one stream has told a bot so far, and what the bot answers to it. */
export class Session {
  #bot;
  #games = null;
  #matches = new Map();

  constructor(bot) {
    this.#bot = bot;
  }

  /** Whether the arena has answered the Join. */
  get hasJoined() {
    return this.#games !== null;
  }

  /** Let the bot prepare itself, and return the first message of a stream. */
  async join() {
    await this.#bot.prepare?.();
    const { name = "node", games = ["*"] } = this.#bot;
    return { join: { name, games, protocolMajor: PROTOCOL_MAJOR, protocolMinor: PROTOCOL_MINOR } };
  }

  /**
   * Take a PlayResponse that came at the performance.now() of `arrived`, and return the PlayRequest that answers it, or
   * null if it asks for none. An event that this kit does not know is ignored.
   *
   * Throws ProtocolError, AnswerError, WireError, and whatever the bot throws.
   */
  async receive(response, arrived) {
    if (response.decide) return this.#decide(response.decide, arrived);
    if (response.joined) this.#joined(response.joined);
    if (response.matchStarted) await this.#matchStarted(response.matchStarted);
    if (response.matchFinished) await this.#matchFinished(response.matchFinished);
    return null;
  }

  #joined({ protocolMajor, protocolMinor, games }) {
    if (protocolMajor !== PROTOCOL_MAJOR) {
      throw new ProtocolError(
        `the arena speaks protocol ${protocolMajor}.${protocolMinor}, this kit ` +
          `${PROTOCOL_MAJOR}.${PROTOCOL_MINOR}; take the kit that came with the arena`,
      );
    }
    this.#games = new Map(games.map((game) => [game.name, game]));
  }

  async #matchStarted(started) {
    const gameInfo = started.gameInfo ?? this.#games?.get(started.game);
    if (!gameInfo) {
      throw new ProtocolError(`a match of "${started.game}" started, a game the arena had not told of when we joined`);
    }
    const match = new Match(started, gameInfo);
    this.#matches.set(match.id, match);
    await this.#bot.matchStarted?.(match);
  }

  async #matchFinished(finished) {
    const match = this.#matches.get(finished.matchId);
    if (!match) return;
    this.#matches.delete(match.id);
    await this.#bot.matchFinished?.(match, finished);
  }

  async #decide(message, arrived) {
    const match = this.#matches.get(message.matchId);
    if (!match) throw new ProtocolError(`a decision of match "${message.matchId}" came, which has not started`);
    const decision = new Decision(match, message, arrived);
    const answer = await this.#bot.decide(decision);
    if (answer === RESIGN) return { resign: { matchId: match.id } };
    const actions = readAnswer(answer);
    return { act: { matchId: match.id, ply: decision.ply, actions, note: shorten(String(decision.note)) } };
  }
}

function readAnswer(answer) {
  const actions = Array.isArray(answer) ? answer : [answer];
  if (!actions.every((action) => Number.isInteger(action) && action >= 0 && action < 2 ** 31)) {
    throw new AnswerError(`decide returned ${shown(answer)}; return an action id, an array of ids, or RESIGN`);
  }
  if (actions.length < 1 || actions.length > MAX_ACTIONS) {
    throw new AnswerError(`decide returned ${actions.length} action ids; an answer has 1 to ${MAX_ACTIONS}`);
  }
  return actions;
}

const shown = (answer) => (Array.isArray(answer) ? `[${answer.map(String)}]` : String(answer)).slice(0, 60);

/** A longer note would cost the match; counted as the arena counts, a pair of surrogates is one character. */
const shorten = (note) => (note.length > MAX_NOTE ? Array.from(note).slice(0, MAX_NOTE).join("") : note);

// The stream over the socket that the arena handed over by its number: each message behind its length.

import { fstatSync } from "node:fs";
import { Socket } from "node:net";

import { PlayRequest, PlayResponse } from "./messages/play.mjs";
import { ProtocolError } from "./session.mjs";
import { ArenaError } from "./stream.mjs";

const HEADER = 4; // bytes of a length, little-endian
const LONGEST = 64 * 2 ** 20;

export class SocketStream {
  #socket;

  /** Take the socket with the number in this text, such as "3". Throws ArenaError if there is none. */
  constructor(descriptor) {
    if (!/^\d{1,9}$/.test(descriptor)) {
      throw new ArenaError(
        `ARENA_STREAM_FD is "${descriptor}", which is no number of a descriptor; leave the variable to the arena, or ` +
          "unset it",
      );
    }
    try {
      // A pipe would be taken for a socket. Node.js makes what it inherits close-on-exec when it starts: descriptors up to
      // 16, and further ones as long as there is no gap. It has no call for others.
      if (!fstatSync(Number(descriptor)).isSocket()) throw new TypeError("no socket");
      this.#socket = new Socket({ fd: Number(descriptor), allowHalfOpen: true });
    } catch {
      throw new ArenaError(
        `ARENA_STREAM_FD is ${descriptor}, which is no open socket; a program that starts the bot must pass the ` +
          "descriptor on, or unset the variable",
      );
    }
    this.#socket.on("error", () => {}); // it is closed then, which is the end of the stream
  }

  start(take, end) {
    const frames = new Frames();
    this.#socket.on("data", (piece) => {
      try {
        for (const bytes of frames.add(piece)) take(read(bytes));
      } catch (error) {
        this.#socket.pause();
        end(error);
      }
    });
    this.#socket.on("end", () => end());
    this.#socket.on("close", () => end());
    if (this.#socket.destroyed) end();
  }

  write(request) {
    if (!this.#socket.writable) return;
    const body = PlayRequest.encode(request);
    const frame = Buffer.allocUnsafe(HEADER + body.length);
    frame.writeUInt32LE(body.length);
    body.copy(frame, HEADER);
    this.#socket.write(frame);
  }

  complaint(hasJoined) {
    return hasJoined ? null : "the arena refused the bot: it ended the stream before it had answered Join";
  }

  close() {
    this.#socket.destroy();
  }
}

function read(bytes) {
  try {
    return PlayResponse.decode(bytes);
  } catch (error) {
    throw new ProtocolError(`the arena sent bytes that are no message: ${error.message}`);
  }
}

/** Puts frames together that come in pieces. */
class Frames {
  #pieces = [];
  #size = 0;
  #length = null; // of the frame whose beginning is there

  /** Take a piece, and give the message of each frame that it completes. Throws ProtocolError for one too long. */
  *add(piece) {
    this.#pieces.push(piece);
    this.#size += piece.length;
    for (;;) {
      if (this.#length === null) {
        if (this.#size < HEADER) return;
        this.#length = this.#join().readUInt32LE();
        if (this.#length > LONGEST) {
          throw new ProtocolError(`the arena sent a message of ${this.#length} bytes; at most ${LONGEST} are read`);
        }
      }
      const end = HEADER + this.#length;
      if (this.#size < end) return;
      const bytes = this.#join();
      this.#pieces = [bytes.subarray(end)];
      this.#size -= end;
      this.#length = null;
      yield bytes.subarray(HEADER, end);
    }
  }

  #join() {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0];
  }
}

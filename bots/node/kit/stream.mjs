// Carries a session over gRPC: the one file of the kit that touches the network.

import { PlayRequest, PlayResponse } from "./messages/play.mjs";
import grpc from "./vendor/grpc.cjs";

const METHOD = "/arena.v1.PlayService/Play";
const OPTIONS = {
  "grpc.enable_http_proxy": 0, // an http_proxy in the environment would catch even 127.0.0.1
  "grpc.service_config_disable_resolution": 1,
  "grpc.max_receive_message_length": -1,
};
// How an arena that shuts down, or is killed, ends a stream.
const ENDED = [grpc.status.CANCELLED, grpc.status.UNAVAILABLE];

/** The arena could not be reached, or refused the bot. */
export class ArenaError extends Error {
  name = "ArenaError";
}

/**
 * Play until the arena closes the stream. Throws ArenaError if it cannot be reached or refuses the bot, and whatever
 * the session throws. Messages are taken one after another, each when the one before it is answered.
 */
export async function play(session, address, token) {
  const first = await session.join();
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), OPTIONS);
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const call = client.makeBidiStreamRequest(METHOD, PlayRequest.encode, PlayResponse.decode, metadata);
  try {
    const status = await converse(session, call, first);
    // A bot that is not needed any more is let go in good order, also before it was welcomed.
    const isInOrder = status.code === grpc.status.OK || (session.hasJoined && ENDED.includes(status.code));
    if (!isInOrder) throw new ArenaError(explain(status, address));
  } finally {
    call.cancel();
    client.close();
  }
}

/** Answer until the stream ends, and return the status that it ended with. */
function converse(session, call, first) {
  return new Promise((resolve, reject) => {
    let last = Promise.resolve();
    const take = async (response, arrived) => {
      const answer = await session.receive(response, arrived);
      if (answer !== null && call.writable) call.write(answer);
    };
    call.on("data", (response) => {
      const arrived = performance.now();
      last = last.then(() => take(response, arrived));
      last.catch(reject);
    });
    call.on("error", () => {}); // the status tells the same, and comes also where there is no error
    // What came before the end is handed over by then, and is answered first.
    call.on("status", (status) => setImmediate(() => last.then(() => resolve(status), reject)));
    call.write(first);
  });
}

function explain({ code, details }, address) {
  if (code === grpc.status.UNAVAILABLE) return `no arena answers at ${address}: ${details}`;
  return `the arena at ${address} ended the stream: ${grpc.status[code]}: ${details}`;
}

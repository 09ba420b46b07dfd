// Carries a session over a stream to the arena: the socket that the arena handed over, or gRPC.

/** The arena could not be reached, or refused the bot. */
export class ArenaError extends Error {
  name = "ArenaError";
}

/**
 * Return the stream that these variables of the environment name, or null if there is none. Throws ArenaError.
 *
 * gRPC is loaded only where it is needed, because that takes longer than everything else at the start of a bot.
 *
 * A stream has `start(take, end)`, which begins it: `take` is called with each PlayResponse, and `end` once, with an
 * Error if what came cannot be read; `write(request)`, which does nothing after the end; `complaint(hasJoined)`, which
 * tells in a sentence why it ended, or null if in good order; and `close()`.
 */
export async function open({ ARENA_STREAM_FD: descriptor, ARENA_ADDRESS: address, ARENA_TOKEN: token = "" }) {
  if (descriptor) {
    const { SocketStream } = await import("./socket_stream.mjs");
    return new SocketStream(descriptor);
  }
  if (!address) return null;
  const { GrpcStream } = await import("./grpc_stream.mjs");
  return new GrpcStream(address, token);
}

/**
 * Play until the arena closes the stream. Throws ArenaError if it cannot be reached or refuses the bot, and whatever
 * the session throws. Messages are taken one after another, each when the one before it is answered.
 */
export async function play(session, stream) {
  const first = await session.join();
  try {
    await converse(session, stream, first);
    const complaint = stream.complaint(session.hasJoined);
    if (complaint !== null) throw new ArenaError(complaint);
  } finally {
    stream.close();
  }
}

/** Answer until the stream has ended; what came before its end is answered first. */
function converse(session, stream, first) {
  return new Promise((resolve, reject) => {
    let last = Promise.resolve();
    const answer = async (response, arrived) => {
      const request = await session.receive(response, arrived);
      if (request !== null) stream.write(request);
    };
    const take = (response) => {
      const arrived = performance.now();
      last = last.then(() => answer(response, arrived));
      last.catch(reject);
    };
    const end = (error) => last.then(() => (error ? reject(error) : resolve()), reject);
    stream.start(take, end);
    stream.write(first);
  });
}

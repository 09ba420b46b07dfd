// Reads the matches of a report one after another, in a worker of its own where it may, and hands each over deflated.
import { Packed } from "./unpack.js";

const PAUSE_MS = 12;

async function piped(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function inflate(bytes) {
  return JSON.parse(new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw"))));
}

// `tell(place, bytes)` takes each match; `pause` lets others have a turn.
export async function read(tables, bytes, tell, pause) {
  let until = performance.now() + PAUSE_MS;
  for (const story of new Packed(tables, bytes).stories()) {
    if (story) tell(story.place, await piped(new TextEncoder().encode(JSON.stringify(story)), new CompressionStream("deflate-raw")));
    if (!pause || performance.now() < until) continue;
    await pause();
    until = performance.now() + PAUSE_MS;
  }
}

if (typeof document === "undefined") {
  addEventListener("message", ({ data }) => {
    read(data.tables, data.bytes, (place, story) => postMessage({ place, story }, [story.buffer]));
  });
}

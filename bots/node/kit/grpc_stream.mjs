// The stream over gRPC, to the address and with the token that the arena told.

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

export class GrpcStream {
  #address;
  #token;
  #client = null;
  #call = null;
  #status = null;

  constructor(address, token) {
    this.#address = address;
    this.#token = token;
  }

  start(take, end) {
    this.#client = new grpc.Client(this.#address, grpc.credentials.createInsecure(), OPTIONS);
    const metadata = new grpc.Metadata();
    metadata.set("authorization", `Bearer ${this.#token}`);
    this.#call = this.#client.makeBidiStreamRequest(METHOD, PlayRequest.encode, PlayResponse.decode, metadata);
    this.#call.on("data", take);
    this.#call.on("error", () => {}); // the status tells the same, and comes also where there is no error
    this.#call.on("status", (status) => {
      this.#status = status;
      setImmediate(end); // what came before it is handed over by then
    });
  }

  write(request) {
    if (this.#call.writable) this.#call.write(request);
  }

  complaint(hasJoined) {
    const { code, details } = this.#status;
    // A bot that is not needed any more is let go in good order, also before it was welcomed.
    if (code === grpc.status.OK || (hasJoined && ENDED.includes(code))) return null;
    if (code === grpc.status.UNAVAILABLE) return `no arena answers at ${this.#address}: ${details}`;
    return `the arena at ${this.#address} ended the stream: ${grpc.status[code]}: ${details}`;
  }

  close() {
    this.#call?.cancel();
    this.#client?.close();
  }
}

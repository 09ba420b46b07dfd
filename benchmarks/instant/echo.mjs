// The other end of a bare bidirectional stream: answers every message with so many bytes, and does nothing else.

import grpc from "../../bots/node/kit/vendor/grpc.cjs";

const client = new grpc.Client(process.env.ARENA_ADDRESS, grpc.credentials.createInsecure());
const asIs = (bytes) => bytes;
const call = client.makeBidiStreamRequest("/bare.Echo/Echo", asIs, asIs);
const answer = Buffer.alloc(Number(process.argv[2]), "x");
call.on("data", () => call.write(answer));
call.on("end", () => client.close());
call.write(Buffer.from("ready"));

// Reads lines "KIND HEX" and answers each with a line of JSON: what the kit reads in the bytes, and how it writes that.

import { createInterface } from "node:readline";
import * as foreignKing from "../../bots/node/kit/messages/foreign_king.mjs";
import * as play from "../../bots/node/kit/messages/play.mjs";
import * as rexRomanorum from "../../bots/node/kit/messages/rex_romanorum.mjs";

const KINDS = { ...play, ...foreignKing, ...rexRomanorum };

function plain(_, value) {
  if (typeof value === "bigint") return String(value);
  if (value?.type === "Buffer") return Buffer.from(value.data).toString("base64");
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [kind, hex] = line.split(" ");
  try {
    const value = KINDS[kind].decode(Buffer.from(hex, "hex"));
    console.log(JSON.stringify({ value, written: KINDS[kind].encode(value).toString("hex") }, plain));
  } catch (error) {
    console.log(JSON.stringify({ error: `${error.name}: ${error.message}` }));
  }
}

// Reads and writes protobuf messages from the tables in messages/. No I/O.
//
// A decoded message is a plain object with every field, unset ones at their default: 0, "", false, [], and null for a
// message. 64-bit integers are numbers, because the arena's are below 2^53; fixed64, which holds bits, is a BigInt.
// Unknown fields are skipped, so that a newer arena of the same major version is understood.

/** The bytes are no message of the kind that was asked for. */
export class WireError extends Error {
  name = "WireError";
}

const VARINT = 0, FIXED64 = 1, BYTES = 2, GROUP = 3, GROUP_END = 4, FIXED32 = 5;
const DEEPEST = 100;

/** Bytes that are being read. */
class Reader {
  constructor(bytes) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.end = bytes.byteLength;
  }

  /** The next varint as two unsigned halves: the lower one is returned, the upper one kept in `high`. */
  varint() {
    let low = 0, shift = 0, byte;
    this.high = 0;
    do {
      if (this.at >= this.end || shift > 63) throw new WireError("a number is cut off or too long");
      byte = this.bytes[this.at++];
      if (shift < 28) low |= (byte & 127) << shift;
      else if (shift === 28) {
        low |= (byte & 15) << 28;
        this.high = (byte & 127) >>> 4;
      } else this.high |= (byte & 127) << (shift - 32);
      shift += 7;
    } while (byte > 127);
    this.high >>>= 0;
    return low >>> 0;
  }

  /** Step over `count` bytes and return where they began. */
  step(count) {
    const start = this.at;
    if (count > this.end - start) throw new WireError("the message is cut off");
    this.at += count;
    return start;
  }

  skip(number, type, depth = 0) {
    if (type === VARINT) this.varint();
    else if (type === FIXED64) this.step(8);
    else if (type === BYTES) this.step(this.varint());
    else if (type === FIXED32) this.step(4);
    else if (type === GROUP && depth < DEEPEST) this.#skipGroup(number, depth + 1);
    else throw new WireError(`field ${number} has the wire type ${type}, which is none`);
  }

  #skipGroup(number, depth) {
    for (;;) {
      const tag = this.varint();
      if ((tag & 7) !== GROUP_END) this.skip(tag >>> 3, tag & 7, depth);
      else if (tag >>> 3 === number) return;
      else throw new WireError(`the group ${number} ends as ${tag >>> 3}`);
    }
  }
}

/** Bytes that are being written: an array that grows, because answers are short. */
class Writer {
  bytes = [];

  /** Write a number from 0 to 2^53, or a BigInt from 0 to 2^64 - 1. */
  varint(value) {
    if (typeof value === "bigint") {
      for (; value > 127n; value >>= 7n) this.bytes.push(Number(value & 127n) | 128);
    } else {
      for (; value > 127; value = Math.floor(value / 128)) this.bytes.push((value % 128) | 128);
    }
    this.bytes.push(Number(value));
  }

  chunk(bytes) {
    this.varint(bytes.length);
    for (const byte of bytes) this.bytes.push(byte);
  }
}

// A codec says how one value stands in the bytes. `none` is the default that is never sent.
const number = (codec) => ({ type: VARINT, none: () => 0, isNone: (value) => value === 0, ...codec });
const writeSigned = (writer, value) => writer.varint(value < 0 ? BigInt.asUintN(64, BigInt(value)) : value);

export const int32 = number({ read: (reader) => reader.varint() | 0, write: writeSigned });
export const sint32 = number({
  read: (reader) => {
    const folded = reader.varint();
    return (folded >>> 1) ^ -(folded & 1);
  },
  write: (writer, value) => writer.varint(((value << 1) ^ (value >> 31)) >>> 0),
});
export const int64 = number({
  read: (reader) => {
    const low = reader.varint();
    return (reader.high | 0) * 2 ** 32 + low;
  },
  write: writeSigned,
});
export const bool = {
  type: VARINT,
  none: () => false,
  isNone: (value) => !value,
  read: (reader) => (reader.varint() | reader.high) !== 0,
  write: (writer, value) => writer.varint(value ? 1 : 0),
};
export const fixed64 = {
  type: FIXED64,
  none: () => 0n,
  isNone: (value) => value === 0n,
  read: (reader) => reader.bytes.readBigUInt64LE(reader.step(8)),
  write: (writer, value) => {
    for (let bits = 0n; bits < 64n; bits += 8n) writer.bytes.push(Number((value >> bits) & 255n));
  },
};
export const string = {
  type: BYTES,
  none: () => "",
  isNone: (value) => value === "",
  read: (reader) => {
    const length = reader.varint();
    const start = reader.step(length);
    return reader.bytes.toString("utf8", start, start + length);
  },
  write: (writer, value) => writer.chunk(Buffer.from(value, "utf8")),
};
export const bytes = {
  type: BYTES,
  none: () => new Uint8Array(0),
  isNone: (value) => value.length === 0,
  read: (reader) => {
    const length = reader.varint();
    const start = reader.step(length);
    return reader.bytes.subarray(start, start + length);
  },
  write: (writer, value) => writer.chunk(value),
};

/** A field that holds another message. */
export const embedded = (inner) => ({
  type: BYTES,
  none: () => null,
  isNone: (value) => value === null || value === undefined,
  read: (reader) => {
    const length = reader.varint();
    const start = reader.step(length);
    return inner.decode(reader.bytes.subarray(start, start + length));
  },
  write: (writer, value) => writer.chunk(inner.encode(value)),
});

/** A field that holds a list; numbers may come packed into one chunk or one by one, and are written packed. */
export const repeated = (codec) => ({ ...codec, none: () => [], isNone: (value) => value.length === 0, isRepeated: true });

function readField(reader, target, name, codec, type) {
  if (!codec.isRepeated) target[name] = codec.read(reader);
  else if (type === codec.type) target[name].push(codec.read(reader));
  else readPacked(reader, target[name], codec);
}

function readPacked(reader, list, codec) {
  const end = reader.end;
  const length = reader.varint();
  reader.end = reader.step(length) + length;
  reader.at -= length;
  while (reader.at < reader.end) list.push(codec.read(reader));
  reader.end = end;
}

function writeField(writer, number, codec, value) {
  if (!codec.isRepeated || codec.type === BYTES) {
    for (const one of codec.isRepeated ? value : [value]) {
      writer.varint(number * 8 + codec.type);
      codec.write(writer, one);
    }
    return;
  }
  const packed = new Writer();
  for (const one of value) codec.write(packed, one);
  writer.varint(number * 8 + BYTES);
  writer.chunk(packed.bytes);
}

/**
 * A kind of message, from its fields: their numbers, names and codecs.
 *
 * `decode` throws WireError for bytes that are none; `encode` takes an object that may lack fields.
 */
export function message(name, fields) {
  const byNumber = [];
  for (const [number, field, codec] of fields) byNumber[number] = [field, codec];
  const fits = (codec, type) => type === codec.type || (codec.isRepeated && type === BYTES);
  return Object.freeze({
    name,
    decode(bytes) {
      const reader = new Reader(bytes);
      const target = {};
      for (const [, field, codec] of fields) target[field] = codec.none();
      while (reader.at < reader.end) {
        const tag = reader.varint();
        const known = byNumber[tag >>> 3];
        if (known && fits(known[1], tag & 7)) readField(reader, target, known[0], known[1], tag & 7);
        else if (tag >>> 3 === 0) throw new WireError("a field has the number 0");
        else reader.skip(tag >>> 3, tag & 7);
      }
      return target;
    },
    encode(object) {
      const writer = new Writer();
      for (const [number, field, codec] of fields) {
        const value = object[field];
        if (value !== undefined && !codec.isNone(value)) writeField(writer, number, codec, value);
      }
      return Buffer.from(writer.bytes);
    },
  });
}

/** google.protobuf.Any: a message of another kind, which `typeUrl` names behind its last slash. */
export const Any = message("google.protobuf.Any", [[1, "typeUrl", string], [2, "value", bytes]]);

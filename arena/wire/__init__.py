"""Values to protobuf messages and back: the one encoder and parser. Streams and clocks must never be in here."""

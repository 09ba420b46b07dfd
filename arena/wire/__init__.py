"""Values to protobuf messages and back: the one encoder and the one parser. No streams, no clocks."""

"""The gRPC side of a match: streams, time measurement, authentication, errors. It starts and reads no process."""

"""Serves calls over gRPC's completion queue, polled by the event loop: the cheap road beside grpc.aio."""

"""The coordinator's side of where matches run: the interface, and the worker processes of this machine. Never gRPC."""

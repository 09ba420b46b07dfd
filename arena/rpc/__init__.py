"""The interface of `arena.model.port` over gRPC: its calls, messages made of values, channels, logins, uploads."""

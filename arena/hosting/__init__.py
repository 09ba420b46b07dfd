"""Runs bot processes on this machine: stored versions, the launcher, the sandbox. It knows no games and no gRPC."""

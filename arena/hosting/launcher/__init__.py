"""The launcher, which starts bots, and its client. To start fast it imports neither gRPC nor pathlib."""

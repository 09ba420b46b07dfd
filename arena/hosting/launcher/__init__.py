"""The process that starts bots, and its client. It must start fast, so the process imports no gRPC and no pathlib."""

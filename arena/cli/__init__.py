"""The command `arena`. It reads options, asks other packages and prints; it holds no rules and no SQL."""

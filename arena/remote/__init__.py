"""The process to which remote bots connect: their streams over TLS, and the referee of all matches that they play."""

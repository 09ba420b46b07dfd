"""A scripted arena that finds out, rule by rule, whether a bot keeps the protocol. No rated play, no database."""

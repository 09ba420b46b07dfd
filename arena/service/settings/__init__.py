"""The settings of a service: one table, read from a file, the environment and flags. No I/O but reading these."""

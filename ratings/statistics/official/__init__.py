"""The official table of a pool: one order-free fit over all its matches. Start at `table.official_table`.

Nothing is imported here, and nothing else in the arena imports this package at its start: NumPy is loaded by those who
ask for a table, not by `arena --help` or a worker.
"""

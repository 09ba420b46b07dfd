"""The official table of a pool: one fit of all its matches, whatever their order. Start at `table.official_table`.

Nothing may be imported here: NumPy is loaded by those who ask for a table, not by `arena --help` or a worker.
"""

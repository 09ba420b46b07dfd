"""The arithmetic of ratings: points, skill, official table, comparisons, fair play, stopping. No SQL, no I/O.

Nothing may be imported here: NumPy is loaded by those who ask for a table, not by `arena --help` or a worker.
"""

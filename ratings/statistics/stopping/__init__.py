"""Playing until a question such as "top 3 known at 95%" is answered. No I/O.

Nothing may be imported here: only `standing` and `choosing` need NumPy.
"""

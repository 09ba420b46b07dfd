"""Playing until a question such as "top 3 known at 95%" is answered.

`question` reads it, `standing` says how well a table answers it, `planning` chooses the blocks that tell most. Only the
last two need NumPy, so they are imported where they are used.
"""

"""What the rules gave when they were last looked at: counts of decision sequences, and a playing a seat count.

`python -m engine.games.foreign_king.golden` writes them anew; a difference in what it writes is a change of the rules.
"""

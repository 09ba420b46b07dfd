"""The book of record: who played whom, what came of it, and the ratings. It knows versions and ranks, no game rules."""

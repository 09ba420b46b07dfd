"""The arithmetic of ratings: points, skill, official table, comparisons, fair play, stopping. No SQL, no I/O."""

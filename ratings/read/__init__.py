"""Everything that is asked of the database; each function is one consistent view. Nothing here writes."""

"""Everything that is asked of the database and changes nothing."""

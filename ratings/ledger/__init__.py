"""Everything that writes facts or ratings, all of it through `ledger.Ledger`. Nothing here answers questions."""

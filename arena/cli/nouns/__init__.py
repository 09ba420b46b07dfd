"""One file for each noun of `arena --help`; a noun never imports another noun."""

"""One interface behind the nouns of the command line: here (a database) or there (a service). Nothing is printed."""

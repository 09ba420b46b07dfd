"""The arena and fastchess on the same engines: what each adds to a move of an engine."""

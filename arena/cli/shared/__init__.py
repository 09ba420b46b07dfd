"""What the nouns of the command line have in common. Nothing here is a command."""

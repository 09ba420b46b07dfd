"""What several nouns have in common: options, errors, output, running a tournament. No command stands here."""

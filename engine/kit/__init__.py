"""What games are built from: declared fields, options, phases, and drawing. No rule of any game stands here."""

"""What the program says to people, in their language, from one catalogue; of ours it imports `engine.text` alone."""

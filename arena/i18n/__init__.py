"""What the program says to people, in their language, from one catalogue; it imports nothing of ours."""

"""What researchers use, in an environment that has it."""

"""What is done to a bot to see whether it keeps a rule: one small function for each. No printing, no processes."""

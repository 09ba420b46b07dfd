"""What the scenarios stand on: processes of a bot, its stream, real matches, and the judge of what it says."""

"""What `arena serve` is made of: one process that takes in bots, plays ladders and tournaments, and answers owners."""

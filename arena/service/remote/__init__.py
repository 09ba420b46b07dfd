"""Remote bots as the coordinator sees them: who may join, who is there, and the process that they talk to."""

"""The worker process, which plays matches with bots that it starts and keeps warm. It never opens the database."""

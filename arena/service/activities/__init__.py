"""What a service does by itself: it plays ladders and tournaments, and looks at bots that were submitted."""

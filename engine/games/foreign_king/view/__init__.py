"""How people see the game: `shown` offers text, picture and labels. Nothing here changes a position."""

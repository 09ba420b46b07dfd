"""A folder for each game, found by the registry. A game's name stands nowhere outside its folder."""

"""Owners in browsers: they sign in with a token, hand bots in, see what becomes of them, and steer them."""

"""Texts and messages in the language of the reader; of ours this imports `engine.translatable` alone."""

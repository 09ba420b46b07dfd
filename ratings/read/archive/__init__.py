"""The old place of `ratings.read.exporting`."""

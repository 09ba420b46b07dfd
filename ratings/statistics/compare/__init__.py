"""Is the new version better than the old one? A sequential test over paired blocks: see `comparison.Comparison`."""

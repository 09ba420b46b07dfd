"""The benchmarks: what they stand on, and that each of them runs."""

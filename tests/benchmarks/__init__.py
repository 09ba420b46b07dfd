"""What the benchmarks stand on."""

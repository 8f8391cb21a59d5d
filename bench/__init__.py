"""Side-by-side benchmarks of firth and other programs."""

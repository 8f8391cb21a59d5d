"""The tests mirror src/firth; the modules beside them here are what they share."""

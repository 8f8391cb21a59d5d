"""From tokens to counts: counting, the store, merging, parts."""

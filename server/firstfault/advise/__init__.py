"""Stage five: what to do about it."""

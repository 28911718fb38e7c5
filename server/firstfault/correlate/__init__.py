"""Stage four: what came first."""

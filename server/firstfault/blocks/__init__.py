"""Structure without signatures: tracebacks, native crashes, reports of how processes ended."""

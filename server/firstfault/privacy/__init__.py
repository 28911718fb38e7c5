"""What leaves the machine in an export, and what does not."""

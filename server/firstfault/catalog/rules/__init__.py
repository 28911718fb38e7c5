"""The rules of the catalogue, one module for each subject."""

"""One outside system a file."""

"""What producers and workers agree on: records, tables, Redis keys, task names, canonical columns."""

"""The harness: everything that decides, records and confines. It runs without Qt."""

"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-dabe3147e83d"

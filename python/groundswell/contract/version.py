"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-53c26a7c1b1d"

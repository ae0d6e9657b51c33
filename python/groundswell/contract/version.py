"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-c7063dc4f1b8"

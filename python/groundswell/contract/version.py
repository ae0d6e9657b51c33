"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-6ef8d1e16fa7"

"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-be41b29915d4"

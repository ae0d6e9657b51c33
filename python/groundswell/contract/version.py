"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-e4d8de6df9d6"

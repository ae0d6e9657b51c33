"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-dab6a83315e8"

"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-c94dc5bf7d19"

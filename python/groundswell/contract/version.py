"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-1419335784ca"

"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-d29248cc5190"

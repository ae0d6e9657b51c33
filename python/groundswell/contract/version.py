"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-3d19c88a2920"

"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-6d602b2d41f5"

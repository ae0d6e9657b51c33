"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-b2b4c5458119"

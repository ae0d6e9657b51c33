"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-8e7b7e6cefdb"

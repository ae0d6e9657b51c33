"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-1bd84f2ed768"

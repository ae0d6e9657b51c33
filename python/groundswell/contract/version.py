"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-05076265f7f3"

"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-25e6dc0b7db8"

"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-b0c67b3aa5fa"

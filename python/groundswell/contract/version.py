"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-27c4e5c92dc9"

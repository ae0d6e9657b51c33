"""The version of the documents in this package; written by ``tools/contract.py``."""

VERSION = "1-2ad14dbb94fa"

"""Streams and tables behind ``WITH (connector = ...)``, and what their options refer to.

:mod:`connectors` knows all by name. :mod:`lakes` has tables of files, :mod:`server_streams` the
tables of a server in one stream (:mod:`postgres`, :mod:`mysql`; :mod:`server_system` is what these
have in common), :mod:`message_registries` the schemas of messages. :mod:`references` reads
variables and files that options name.
"""

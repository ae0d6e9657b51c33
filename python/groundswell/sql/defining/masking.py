"""Secrets in statements: never kept, never shown. Pure.

A statement is kept as it was written, so it must not have a password in it. What may be written
plainly is a list: of the options that connectors, formats, pipelines and views declare, and of
names that Kafka's client has. Any other option takes a reference: ``OPTION_env`` names an
environment variable of the process that runs the pipeline, ``OPTION_file`` a file. Statements that
an older release has kept are shown with stars.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from groundswell import config, suggestions
from groundswell.catalog.view import OPTIONS
from groundswell.errors import ConfigurationError
from groundswell.sinks import registry
from groundswell.sinks.dsn import MASK, parts_of, secrets_of, shown
from groundswell.sinks.options import DSN, mask_text
from groundswell.sinks.trust import LISTS
from groundswell.sql.connecting.connectors import (
    ALIASES,
    CONNECTORS,
    TABLE_OPTIONS,
    check_connector,
    check_options,
)
from groundswell.sql.connecting.message_registries import NAMES as OF_REGISTRIES
from groundswell.sql.connecting.references import REFERENCE
from groundswell.sql.connecting.server_streams import SYSTEMS, is_of_server, wanted
from groundswell.sql.defining.pipeline_options import check_altered
from groundswell.sql.defining.sinking import ALIASES as SINK_ALIASES
from groundswell.sql.defining.sinking import format_and_options
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.tokens import NAME, STRING, WORD, Token, tokens

VIEW_OPTIONS = (*OPTIONS, "changelog")
IN_QUOTES = "'***'"
_BEFORE_AT = re.compile(r"[^,]*@")

_WORDS = ("location", "connector", "format", "type", "delete", "trigger", "table")
_KAFKA = frozenset(
    "bootstrap.servers client.id client.rack client.dns.lookup group.id group.instance.id "
    "isolation.level auto.offset.reset security.protocol sasl.mechanism sasl.kerberos.service.name "
    "sasl.kerberos.kinit.cmd allow.auto.create.topics check.crcs compression.type acks "
    "enable.auto.commit exclude.internal.topics partition.assignment.strategy "
    "ssl.protocol ssl.enabled.protocols ssl.provider ssl.cipher.suites ssl.keystore.type "
    "ssl.keystore.location ssl.truststore.type ssl.truststore.location "
    "ssl.endpoint.identification.algorithm ssl.keymanager.algorithm "
    "ssl.trustmanager.algorithm".split()
)
_MEASURES = (".ms", ".bytes", ".records", ".count", ".factor", ".jitter", ".seconds")
"""How options of Kafka's client end that are numbers."""


@cache
def _declared() -> frozenset[str]:
    """Options of sources, pipelines and views that are no secrets, in lower case."""
    names = {*_WORDS, *TABLE_OPTIONS, *VIEW_OPTIONS, *config.OPTIONS, *ALIASES, *SINK_ALIASES}
    names -= {name for name, meant in SINK_ALIASES.items() if meant == "password"}
    for connector in CONNECTORS.values():
        names.update(connector.options)
    for system in SYSTEMS:
        names.update(set(system.options) - set(system.password))
    names.update(OF_REGISTRIES)
    return frozenset(name.lower() for name in names)


def is_plain(option: str) -> bool:
    """Whether an option's value may be kept with a statement and shown."""
    name = option.lower()
    if REFERENCE.fullmatch(name) or name in _declared() or name in registry.plain_options():
        return True
    client = name.removeprefix("kafka.").removeprefix("properties.")
    return client != name and (client in _KAFKA or client.endswith(_MEASURES))


def has_secret(option: str, value: str) -> bool:
    """Whether the value of an option that may be written plainly has a password in it."""
    if option.lower() == DSN:
        return parts_of(value) is None or bool(secrets_of(value))
    return _shown(option, value) != value


def _shown(option: str, value: str) -> str:
    """The value of an option that may be written plainly, without a password in it."""
    name = option.lower()
    if name == DSN:
        return shown(value) if has_secret(option, value) else value
    if name.removeprefix("properties.").removeprefix("kafka.") in LISTS:
        return _BEFORE_AT.sub(f"{MASK}@", value)
    return mask_text(value)


def check_no_secrets(what: str, options: Mapping[str, str], secret: Collection[str] = ()) -> None:
    """Refuses options that hold a secret themselves, or may; an empty text is none.

    Args:
        what: the statement's object, for messages.
        options: as they were written.
        secret: names, in lower case, that are secrets here, whatever they are elsewhere.

    Raises:
        ConfigurationError: with the way round; the secret is not in the message.
    """
    for option, value in options.items():
        if not value:
            continue
        if option.lower() in secret or not is_plain(option):
            near = suggestions.nearest(option, [*_declared(), *registry.plain_options()])
            hint = f" Did you mean {near!r}?" if near and option.lower() not in secret else ""
            raise ConfigurationError(
                f"{what}: option {option} may hold a secret, and statements are kept as they are "
                f"written: name an environment variable of the process that runs the pipeline with "
                f"{option}_env = '...', or a file with {option}_file = '...'.{hint}"
            )
        if has_secret(option, value):
            raise ConfigurationError(
                f"{what}: option {option} holds a password, and statements are kept as they are "
                "written: leave it out there, and say where it is with password_env = '...' or "
                "password_file = '...'"
            )


def check_statement(statement: s.Statement) -> None:
    """Refuses a statement that cannot be kept: an option is unknown, or holds a secret.

    Raises:
        ConfigurationError: with the way round; nothing was written.
    """
    options = dict(getattr(statement, "options", {}))
    what, secret = "pipeline", frozenset[str]()
    match statement:
        case s.CreatePipeline():
            options["LOCATION"] = statement.location
        case s.AlterPipeline():
            check_altered(statement)
        case s.CreateRelation():
            what = statement.kind
            if is_of_server(statement):
                wanted(".".join(statement.name), statement)
            elif options.get("connector") or statement.kind == s.SOURCE:
                check_connector(statement)
            else:
                known = TABLE_OPTIONS if statement.key else ()
                check_options(f"{what} {statement.name[-1]}", options, known)
        case s.CreateSink():
            what = s.SINK
            if "connector" in options:
                format_, given = format_and_options(statement)
                registry.sink_spec(statement.name[-1], "", format_, given)
                secret = registry.secret_options(format_)
        case s.CreateView():
            what = s.VIEW
            check_options(f"materialized view {statement.name[-1]}", options, VIEW_OPTIONS)
        case s.CreateIndex():
            what = s.INDEX
    check_no_secrets(f"{what} {'.'.join(getattr(statement, 'name', ()))}", options, secret)


def masked(text: str) -> str:
    """A statement whose passwords are stars, in its options and in URLs of their texts."""
    found = tokens(text)
    parts: list[str] = []
    at = depth = 0
    for i, token in enumerate(found):
        if depth == 0:
            opens = token.text == "(" and _begins_options(found[:i])
            depth = 1 if opens else 0
        elif token.text in ("(", ")"):
            depth += 1 if token.text == "(" else -1
        elif depth == 1 and token.kind in (STRING, WORD) and found[i - 1].text == "=":
            key, inner = _key(found, i - 2), token.text[1:-1]
            seen = _shown(key, inner)
            if not is_plain(key):
                parts += [text[at : token.start], IN_QUOTES]
            elif token.kind == STRING and seen != inner:
                parts += [text[at : token.start], token.text[0], seen, token.text[-1]]
            else:
                continue
            at = token.end
    return "".join([*parts, text[at:]])


def _begins_options(before: list[Token]) -> bool:
    """Whether what stands before a bracket says that options are in it."""
    words = [each.upper for each in before[-2:]]
    return words[-1:] == ["WITH"] or words[:1] == ["ENCODE"]


def _key(found: list[Token], last: int) -> str:
    first = last
    while first >= 2 and found[first - 1].text == ".":
        first -= 2
    return ".".join(t.value for t in found[first : last + 1] if t.kind in (WORD, NAME, STRING))

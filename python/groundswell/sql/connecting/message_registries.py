"""``ENCODE AVRO`` and ``ENCODE PROTOBUF``: options of the registry that has the schemas."""

from __future__ import annotations

from collections.abc import Mapping

from groundswell.api.decoded_events import Registered
from groundswell.errors import ConfigurationError
from groundswell.sources.registry import ENCODINGS, OPTIONS, registered
from groundswell.sql.connecting.references import REFERENCE, resolved
from groundswell.sql.parsing import statements as s

ENCODES = ("JSON", *(each.upper() for each in ENCODINGS))
PREFIX = "schema.registry"
"""The option with the address; others begin with it and a dot, as RisingWave has them."""
_PLAIN = ("key_encode", "message")
"""Options without the prefix: they are of the messages."""
_NAMES = {
    PREFIX if name == "url" else name if name in _PLAIN else f"{PREFIX}.{name}": name
    for name in OPTIONS
}
SECRET = f"{PREFIX}.password"
NAMES = tuple(name for name in _NAMES if name != SECRET)
"""Those that are no secrets."""


def _name(option: str) -> str:
    reference = REFERENCE.fullmatch(option)
    return (reference[1] if reference and option.lower() not in _NAMES else option).lower()


def registry_options(relation: s.CreateRelation) -> list[str]:
    """Those options of a statement that a registry takes; of messages in JSON none."""
    if relation.encode not in ENCODES[1:]:
        return []
    return [*_NAMES, *(option for option in relation.options if _name(option) in _NAMES)]


def registry_of(relation: s.CreateRelation) -> Registered | None:
    """What a statement says of a registry; None: the messages are JSON.

    Raises:
        ConfigurationError: an option is missing, or has no such value.
    """
    if relation.encode not in ENCODES[1:]:
        return None
    what = f"{relation.kind} {relation.name[-1]}"
    own = {option: v for option, v in relation.options.items() if _name(option) in _NAMES}
    given = {_NAMES[name.lower()]: value for name, value in resolved(what, own).items()}
    keyed = (relation.format or "PLAIN") != "PLAIN"
    if "url" not in given:
        raise ConfigurationError(
            f"{what}: ENCODE {relation.encode} needs {PREFIX} = 'http://host:8081'"
        )
    return registered(what, relation.encode.lower(), given, _topics(relation.options), keyed)


def _topics(options: Mapping[str, str]) -> list[str]:
    lower = {name.lower(): value for name, value in options.items()}
    text = lower.get("topic") or lower.get("subscribe") or ""
    return [each.strip() for each in text.split(",") if each.strip()]

"""Names and texts in statements of ClickHouse."""


def quoted(name: str) -> str:
    """The name as SQL takes it."""
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


def literal(text: str) -> str:
    """The text as SQL takes it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"

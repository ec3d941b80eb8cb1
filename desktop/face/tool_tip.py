"""Tool tips that are always plain text: Qt would read anything that looks like markup."""

from html import escape

from desktop.harness.api import for_name


def plain_tip(text: str) -> str:
    """What to hand to Qt so that it shows exactly this text; empty for none."""
    return f"<qt>{escape(for_name(text))}</qt>" if text else ""

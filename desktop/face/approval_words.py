"""What an approval says: who wants what, what it touches, and what *Always allow* would save, in words.

Pure text from questions and rules. Names of files are made safe to show here.
"""

from collections.abc import Sequence

from desktop.face import strings_window as words
from desktop.harness.api import FileDiff, Offer, Question, Rule, for_name, show_safe

_VERBS = {"create": "make", "edit": "change", "delete": "delete"}
_FILE_TOOLS = frozenset({"edit_file", "write_file"})


def title_of(questions: Sequence[Question]) -> str:
    """Who wants what, in one sentence."""
    if len(questions) == 1:
        return _one(questions[0])
    files = {file.path for question in questions for file in question.files}
    if all(question.command is None for question in questions):
        kinds = {file.kind for question in questions for file in question.files}
        verb = _VERBS.get(next(iter(kinds)), "change") if len(kinds) == 1 else "change"
        return f"Paddock wants to {verb} {words.counted(len(files), 'file', 'files')}"
    return f"Paddock wants to do {len(questions)} things"


def _one(question: Question) -> str:
    if question.command is not None:
        return "Paddock wants to run a command"
    if len(question.files) != 1:
        return f"Paddock wants to: {for_name(question.title)}"
    file = question.files[0]
    name = for_name(file.path)
    if file.kind == "move":
        return f"Paddock wants to move {name} to {for_name(file.destination or '')}"
    return f"Paddock wants to {_VERBS.get(file.kind, 'change')} {name}"


def facts_of(questions: Sequence[Question]) -> str:
    """What it touches and what can be undone, and which walls hold."""
    facts: list[str] = []
    if any(question.files for question in questions):
        facts.append(words.INSIDE_FOLDER)
    facts.append(words.CAN_BE_UNDONE if all(q.undoable for q in questions) else words.CANNOT_BE_UNDONE)
    facts += sorted({_sentence(question.protection) for question in questions if question.protection})
    return " · ".join(facts)


def again_of(questions: Sequence[Question]) -> str:
    """Why it is asked anew, empty when it is not."""
    reasons = dict.fromkeys(
        show_safe(question.again).rstrip(". ") for question in questions if question.again
    )
    return f"{'. '.join(reasons)}. {words.NEW_DIFFERENCE}" if reasons else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def rule_in_words(rule: Rule) -> str:
    """What a rule covers."""
    if rule.tools == ("run_command",):
        return f"run “{for_name(rule.pattern)}”, exactly so" if rule.pattern != "**" else "run any command"
    what = "changes to" if _FILE_TOOLS & set(rule.tools) else f"{' and '.join(map(_tool, rule.tools))}:"
    return f"{what} {_where(rule.pattern)}"


def _tool(tool: str) -> str:
    return for_name(tool).replace("_", " ")


def _where(pattern: str) -> str:
    name = for_name(pattern)
    if pattern == "**":
        return "any file of this project"
    if pattern == "*":
        return "files right in this folder"
    if pattern.endswith("/*"):
        return f"files right in {name[:-2]}"
    if pattern.endswith(("/", "/**")):
        return f"everything in {name.rstrip('*').rstrip('/')}"
    return name


def always_of(questions: Sequence[Question]) -> str:
    """What *Always allow* would save, or why it is not offered."""
    refusals = dict.fromkeys(q.offer.why_not or words.ASKS_EACH_TIME for q in questions if not q.offer.always)
    if refusals:
        return f"{words.NO_ALWAYS} {show_safe(next(iter(refusals)))}"
    saved = [rule_in_words(question.offer.always) for question in questions if question.offer.always]
    shown = saved[:3] + ([f"{len(saved) - 3} more"] if len(saved) > 3 else [])
    return f"{words.ALWAYS_SAVES} {', '.join(dict.fromkeys(shown))}"


def wider_of(offers: Sequence[Offer]) -> list[tuple[str, list[Rule]]]:
    """The wider choices that all of the offers have, each with its rule for each offer."""
    if not offers:
        return []
    return [
        (text, [dict(offer.wider)[text] for offer in offers])
        for text, _ in offers[0].wider
        if all(text in dict(offer.wider) for offer in offers)
    ]


def files_of(questions: Sequence[Question]) -> list[FileDiff]:
    """All files of some questions, in order."""
    return [file for question in questions for file in question.files]

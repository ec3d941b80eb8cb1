"""What stands above the composer when a chat does not simply go on: a quiet line with steps, or a card.

Interrupted, paused and failed chats get a line that says so and what can be done. An effect without a
receipt gets the card *Did this happen?* once the harness has looked and could not tell; before that,
*Continue* lets it look.
"""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from desktop.face import strings_window as words
from desktop.face.run_bridge import RunBridge
from desktop.face.widgets.bars import NoticeBar
from desktop.face.widgets.settle_card import SettleCard
from desktop.harness.api import Row, SessionView, Status

_GO_ON = (("continue", words.CONTINUE), ("stopHere", words.STOP_HERE))
_LINES = {
    Status.INTERRUPTED: (words.INTERRUPTED, _GO_ON),
    Status.NEEDS_CHECK: (words.UNSEEN_END, _GO_ON),
    Status.PAUSED: (words.PAUSED, _GO_ON),
    Status.FAILED: (words.FAILED, (("continue", words.TRY_AGAIN), ("chooseModel", words.CHOOSE_ANOTHER))),
}


class Standing(QObject):
    """Shows where a chat stands in a line and a card, and hands on what was chosen.

    Signals:
        modelWanted(): the person wants to choose another model.
    """

    modelWanted = Signal()

    def __init__(self, line: NoticeBar, card: SettleCard, run: RunBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._line = line
        self._card = card
        self._run = run
        line.stepChosen.connect(self._step)
        card.settled.connect(run.settle)
        card.looked.connect(run.look)
        run.settleFailed.connect(card.show_problem)
        run.evidenceFound.connect(lambda found: card.show_evidence(found.evidence, found.files))

    def clear(self) -> None:
        """Say nothing: there is no chat, or another one is being opened."""
        self._line.say("")
        self._card.show_effect(None)

    def show(self, view: SessionView, rows: Sequence[Row]) -> None:
        """Say where this chat stands."""
        effect = unresolved_in(view, rows)
        self._card.show_effect(effect)
        if effect is not None:
            self._line.say("")
            return
        sentence, steps = _LINES.get(view.status, ("", ()))
        if view.status is not Status.NEEDS_CHECK:
            sentence = view.problem or sentence
        if steps and rows and rows[-1].text == sentence:  # the chat itself says it just above
            sentence = words.CAN_ASK_AGAIN if view.status is Status.FAILED else words.CAN_GO_ON
        self._line.say(sentence, steps)

    def _step(self, name: str) -> None:
        if name == "continue":
            self._run.resume()
        elif name == "stopHere":
            self._run.cancel()
        elif name == "chooseModel":
            self.modelWanted.emit()


def unresolved_in(view: SessionView, rows: Sequence[Row]) -> Row | None:
    """The first effect that was looked at in vain, None when there is none."""
    if not view.needs_check:
        return None
    lost = [row for row in rows if row.call_id in view.needs_check and row.status == "unresolved"]
    return lost[0] if lost else None

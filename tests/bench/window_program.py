"""A window as a program, with the moments at which it was painted: `window_program.py MODE [WORDS...]`.

    empty               a QMainWindow without anything, under a qasync loop: the baseline
    window COUNT        the real program, until its list shows COUNT chats
    chat SESSION WORD   the real window on a long chat: one message typed and sent, an answer streamed

It is started by the benches in a process of its own and prints one JSON object. The marker is the same for
all: an event filter on the application that looks for the first paint of a part, and a timer of zero that
comes after it. Times are of `time.monotonic()`, so the caller knows when the process began.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMainWindow, QWidget
from qasync import QEventLoop


class PaintMarker(QObject):
    """Calls `seen` once, after the first paint of a widget that `is_it` recognises.

    Signals: none.
    """

    def __init__(self, app: QApplication, is_it: Callable[[QWidget], bool], seen: Callable[[], None]) -> None:
        super().__init__(app)
        self._app = app
        self._is_it = is_it
        self._seen = seen
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at paints, let everything pass."""
        if event.type() is QEvent.Type.Paint and isinstance(watched, QWidget) and self._is_it(watched):
            self._app.removeEventFilter(self)
            QTimer.singleShot(0, self._seen)
        return False


def finish(**told: object) -> None:
    """Print what was measured and end at once: closing is no part of any figure."""
    print(json.dumps(told), flush=True)
    os._exit(0)


def empty() -> None:
    """Show a window with nothing in it."""
    app = QApplication(sys.argv[:1])
    window = QMainWindow()
    window.resize(1100, 760)
    marker = PaintMarker(app, lambda widget: widget is window, lambda: finish(painted_s=time.monotonic()))
    window.show()
    loop = QEventLoop(app)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_forever()
    del marker


def whole(count: int) -> None:
    """Run the program, to the first paint with a composer that takes text and to the filled list."""
    from desktop.__main__ import main

    app = QApplication(sys.argv[:1])
    at: dict[str, float] = {}

    def composer(widget: QWidget) -> bool:
        field = widget.parent()
        return isinstance(field, QWidget) and field.objectName() == "composer" and field.isEnabled()

    def filled(widget: QWidget) -> bool:
        view = widget.parent()
        if not isinstance(view, QAbstractItemView) or view.objectName() != "sessionList":
            return False
        model = view.model()  # folders, and the chats of each below it
        return sum(model.rowCount(model.index(row, 0)) for row in range(model.rowCount())) >= count

    def painted() -> None:
        at["painted_s"] = time.monotonic()
        markers.append(PaintMarker(app, filled, lambda: finish(listed_s=time.monotonic(), **at)))

    markers = [PaintMarker(app, composer, painted)]
    main([])


if __name__ == "__main__":
    if sys.argv[1] == "empty":
        empty()
    elif sys.argv[1] == "window":
        whole(int(sys.argv[2]))
    else:
        from tests.bench.chat_program import converse

        converse(sys.argv[2], int(sys.argv[3]))

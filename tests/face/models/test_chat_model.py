"""The chat model shows exactly what the patches say, and only splices."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from desktop.face.models.chat_model import ChatModel, ChatRole
from desktop.harness.api import Patch, Row, RowKind, Seq


def row(number: int, **fields: Any) -> Row:
    """One row with a key of its own."""
    values: dict[str, Any] = {"kind": RowKind.USER, "text": f"text {number}"} | fields
    return Row(key=f"k{number}", seq=Seq(number), at_ms=number, **values)


@given(st.data())
def test_patches_give_the_target_list(qapp: QApplication, data: st.DataObject) -> None:
    """After any patches the model holds what a plain list would hold; Qt's tester agrees."""
    model = ChatModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    target: list[Row] = []
    for step in range(data.draw(st.integers(1, 8))):
        index = data.draw(st.integers(0, len(target)))
        removed = data.draw(st.integers(0, len(target) - index))
        rows = tuple(row(step * 10 + i) for i in range(data.draw(st.integers(0, 4))))
        target[index : index + removed] = rows
        model.apply([Patch(index=index, removed=removed, rows=rows)])
        assert list(model.rows) == target
        assert model.rowCount() == len(target)
    assert not resets
    del tester


def test_a_change_of_one_row_keeps_the_others_in_place(qapp: QApplication) -> None:
    """A streamed word is one dataChanged; a place held by the view stays where it was."""
    model = ChatModel()
    model.set_rows([row(n) for n in range(5)])
    held = QPersistentModelIndex(model.index(3))
    changed: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    model.apply([Patch(index=4, removed=1, rows=(row(4, text="more"),))])
    assert changed == [(4, 4)]
    assert held.row() == 3
    model.apply([Patch(index=0, removed=1, rows=())])
    assert held.row() == 2


@pytest.mark.parametrize(("index", "removed"), [(-1, 0), (3, 0), (1, 2)])
def test_a_patch_that_does_not_fit_is_refused(qapp: QApplication, index: int, removed: int) -> None:
    """A patch beyond the rows is an error and changes nothing."""
    model = ChatModel()
    model.set_rows([row(1), row(2)])
    with pytest.raises(IndexError):
        model.apply([Patch(index=index, removed=removed, rows=())])
    assert model.rowCount() == 2


def test_a_screen_reader_hears_who_and_what(qapp: QApplication) -> None:
    """The spoken text names the speaker, the status in words, and shows hidden characters."""
    model = ChatModel()
    model.set_rows(
        [
            row(1, text="a\u202eb"),
            row(2, kind=RowKind.ASSISTANT, status="streaming"),
            row(3, kind=RowKind.TOOL, title="Read notes.txt", status="waiting"),
            row(4, kind=RowKind.NOTICE, text="Stopped."),
        ]
    )
    said = [model.index(n).data(Qt.ItemDataRole.AccessibleTextRole) for n in range(4)]
    assert said == [
        "You: a⟦U+202E⟧b",
        "Paddock: text 2 (is writing)",
        "Step: Read notes.txt, waiting for you",
        "Notice: Stopped.",
    ]
    assert model.index(0).data(ChatRole.ROW).text == "a\u202eb"

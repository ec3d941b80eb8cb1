"""The feed is ordered, bounded and honest about what it dropped."""

import asyncio

from desktop.harness.core.events import Record, SessionStarted, UserMessage
from desktop.harness.core.ids import SessionId
from desktop.harness.engine.feed import LOST, MAX_WAITING, Feed
from desktop.harness.engine.live import LiveSession
from desktop.harness.ports import Write


async def test_all_subscribers_get_all_in_order() -> None:
    """Two subscribers, three items; who comes later gets what comes later."""
    feed: Feed[int] = Feed()
    first = feed.subscribe()
    feed.publish(1)
    second = feed.subscribe()
    feed.publish(2)
    feed.publish(3)
    feed.close()
    assert [item async for item in first] == [1, 2, 3]
    assert [item async for item in second] == [2, 3]
    assert not feed.is_watched


async def test_who_falls_behind_is_told_and_nobody_waits() -> None:
    """One item too many and the slow one gets the mark instead of a gap it cannot see."""
    feed: Feed[int] = Feed()
    slow = feed.subscribe()
    for item in range(MAX_WAITING + 10):
        feed.publish(item)
    slow.close()
    assert [item async for item in slow] == [LOST]


async def test_a_waiting_subscriber_wakes_up() -> None:
    """An item published while somebody waits is delivered at once."""
    feed: Feed[str] = Feed()
    subscription = feed.subscribe()
    waiting = asyncio.ensure_future(anext(aiter(subscription)))
    await asyncio.sleep(0)
    feed.publish("x")
    assert await asyncio.wait_for(waiting, 1) == "x"


def _record(seq: int, event: SessionStarted | UserMessage, run: int = 0) -> Record:
    return Record(session=SessionId("s1"), seq=seq, at_ms=seq, run=run, event=event)


class KeptRecords:
    """As much of a store as a session needs to be read."""

    def __init__(self, records: list[Record]) -> None:
        self._records = records

    async def read(self, session: SessionId, *, after: int = 0, upto: int | None = None) -> list[Record]:
        """The records in between."""
        return [one for one in self._records if one.seq > after and (upto is None or one.seq <= upto)]

    async def append(self, *writes: Write) -> list[Record]:
        """Nothing is appended here."""
        raise NotImplementedError


BEGIN = SessionStarted(workspace="/w", project="p", mode="write", model="m", base_url="")


async def test_a_screen_that_fell_behind_gets_all_rows_anew() -> None:
    """After a loss the next patch replaces everything that was shown by everything there is."""
    live = LiveSession(KeptRecords([_record(1, BEGIN)]), SessionId("s1"))
    await live.catch_up()
    watching = live.watch()
    rows = list((await anext(watching)).patches[0].rows)
    for n in range(MAX_WAITING + 5):
        live.take([_record(n + 2, UserMessage(text=str(n)), n + 1)])
    update = await anext(watching)
    for patch in update.patches:
        rows[patch.index : patch.index + patch.removed] = patch.rows
    assert live.transcript is not None
    assert rows == list(live.transcript.rows)
    await watching.aclose()
    assert not live.updates.is_watched


async def test_records_are_folded_once() -> None:
    """The same record coming from two sides changes the folds once."""
    live = LiveSession(KeptRecords([]), SessionId("s1"))
    seen: list[Record] = []
    records = [_record(1, BEGIN), _record(2, UserMessage(text="q"), 1)]
    subscription = live.records.subscribe()
    live.take(records)
    live.take(records)
    live.close()
    seen.extend([item async for item in subscription if isinstance(item, Record)])
    assert seen == records
    assert len(live.projection.sources) == 1

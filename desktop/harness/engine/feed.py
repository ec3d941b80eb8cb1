"""Ordered fan-out to whoever looks on: bounded, and honest when it could not keep up.

A subscriber that falls behind by more than `MAX_WAITING` items loses them all and is
told so by `LOST`; it then takes everything anew from the log or the folds. Nobody who
publishes ever waits.
"""

import asyncio
from collections import deque
from typing import Final, Generic, Self, TypeVar

T = TypeVar("T")

MAX_WAITING = 2_000


class Lost:
    """The mark that items were dropped."""


LOST: Final = Lost()


class Subscription(Generic[T]):
    """One subscriber's queue; iterate it, and close it in the end."""

    def __init__(self, feed: "Feed[T]") -> None:
        self._feed = feed
        self._items: deque[T | Lost] = deque()
        self._ready = asyncio.Event()
        self._closed = False

    def put(self, item: T) -> None:
        """Hand over one item, or the mark that it was too many."""
        if len(self._items) >= MAX_WAITING:
            self._items.clear()
            self._items.append(LOST)
        if not (self._items and self._items[-1] is LOST):
            self._items.append(item)
        self._ready.set()

    def close(self) -> None:
        """End the iteration once what is waiting was taken."""
        self._closed = True
        self._feed.drop(self)
        self._ready.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T | Lost:
        while not self._items:
            if self._closed:
                raise StopAsyncIteration
            self._ready.clear()
            await self._ready.wait()
        return self._items.popleft()


class Feed(Generic[T]):
    """Publishes items of one kind, in order, to all subscribers."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription[T]] = []

    @property
    def is_watched(self) -> bool:
        """Whether anybody looks on."""
        return bool(self._subscriptions)

    def subscribe(self) -> Subscription[T]:
        """A new subscriber; it gets what is published from now on."""
        subscription = Subscription(self)
        self._subscriptions.append(subscription)
        return subscription

    def publish(self, item: T) -> None:
        """Give an item to all."""
        for subscription in self._subscriptions:
            subscription.put(item)

    def drop(self, subscription: Subscription[T]) -> None:
        """Forget a subscriber."""
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def close(self) -> None:
        """End all iterations."""
        for subscription in list(self._subscriptions):
            subscription.close()

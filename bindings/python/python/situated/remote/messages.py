"""Types of answers and notifications, with the keys and meanings of the reference of the protocol."""

from __future__ import annotations

from typing import Any, TypedDict


class Limits(TypedDict):
    """The limits of a server for one connection."""

    frameBytes: int
    requestsPerSecond: int
    pendingRequests: int
    agents: int
    subscriptions: int
    readTimeoutMs: int


class Greeting(TypedDict):
    """The first message of a server."""

    protocol: int
    server: str
    rights: list[str]
    resume: str
    resumed: bool
    graceMs: int
    limits: Limits
    time: int


class EntityListed(TypedDict):
    """An entity, with its agents."""

    entity: str
    entityType: str
    agents: list[str]


class _EnvironmentStatus(TypedDict):
    environment: str
    kind: str
    hosted: bool
    state: str
    moment: dict[str, int]
    pace: Any
    speed: float | None
    skippedSteps: int
    agents: int
    entities: int


class EnvironmentStatus(_EnvironmentStatus, total=False):
    """The status of an environment. Its state is `initializing`, `paused`, `running` or `killed`."""

    crash: str


class Happenings(TypedDict):
    """Events of an environment. With `resync`, they describe the present state."""

    subscription: int
    status: EnvironmentStatus
    happenings: list[Any]
    resync: bool
    lost: int


class Scene(TypedDict):
    """A scene: shapes in the order in which they are painted; x grows to the right, y upwards."""

    width: float
    height: float
    shapes: list[dict[str, Any]]

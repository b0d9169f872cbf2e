"""What an agent is told about one of its entities."""

from __future__ import annotations

from dataclasses import dataclass

from situated.iil import Percept


@dataclass(frozen=True, slots=True)
class Perception:
    """What to add to and delete from what is believed of an entity, and what has happened to it."""

    add: list[Percept]
    """What holds now and did not, or, where `resync` is true, all that holds."""
    delete: list[Percept]
    """What no longer holds."""
    events: list[Percept]
    """What has happened, in order; each event is told once."""
    resync: bool
    """Everything that was believed of this entity is void."""
    lost: int
    """How many events could not be kept, since they were not asked for in time."""

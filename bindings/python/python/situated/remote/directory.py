"""The directory of a server: its agents, and the services that agents have registered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _native
from .session import Session

if TYPE_CHECKING:
    from .mail import Message


@dataclass(frozen=True)
class Service:
    """A service: `Service("plums", "trade", properties={"price": 3})`. In a search, it is a template.

    Values of properties are texts, numbers, or mappings as the protocol writes them.
    """

    name: str | None = None
    type: str | None = None
    protocols: Sequence[str] = ()
    ontologies: Sequence[str] = ()
    languages: Sequence[str] = ()
    ownership: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Description:
    """An agent with its services. In a search, it is a template: the found agents have everything that it has.

    `lease` is the time in seconds after which the directory removes the description.
    """

    agent: str | None = None
    services: Sequence[Service] = ()
    protocols: Sequence[str] = ()
    ontologies: Sequence[str] = ()
    languages: Sequence[str] = ()
    lease: float | None = None


class Directory:
    """The directory of a server, asked by an agent. All methods raise `Declined` if the directory does not do what it
    is asked for."""

    def __init__(self, session: Session, agent: str) -> None:
        self._agent = agent
        self._native = session.native.directory(agent)

    async def register(self, description: Description | Service) -> None:
        """Registers the services of the agent. They replace those that it has registered before."""
        (await self._native.register(_write(description)))()

    async def deregister(self) -> None:
        """Removes the services of the agent, if it has any."""
        (await self._native.deregister())()

    async def search(self, template: Description | Service | None = None, max_depth: int = 0) -> list[Description]:
        """Returns the agents whose descriptions have everything that the template has.

        The search goes on in the directories of other platforms with which the server exchanges messages, and in those
        of their peers, up to `max_depth` one after another. The names of agents elsewhere end with `@PLATFORM`. A
        directory that does not answer within 10 s is left out.

        The result has at most 1,000 descriptions and 64 KiB; search for something more specific if there may be more.
        """
        return _read((await self._native.search(_write(template or Description()), max_depth))())

    async def agents(self) -> list[str]:
        """Returns the names of the agents that are registered with the server, up to the same limits."""
        names: list[str] = json.loads((await self._native.agents())())
        return names

    async def subscribe(self, conversation: str, template: Description | Service) -> None:
        """Subscribes to changes of the descriptions that match a template.

        The notifications come as mail in this conversation; `changes` reads them. The first one has the descriptions
        that match already, if there are any. A later subscription in the same conversation replaces this one.
        """
        (await self._native.subscribe(conversation, _write(template)))()

    async def cancel(self, conversation: str) -> None:
        """Ends the subscription of a conversation."""
        (await self._native.cancel(conversation))()

    def __repr__(self) -> str:
        return f"<directory, asked by {self._agent}>"


def changes(message: Message) -> list[Description] | None:
    """Reads a notification about changes: the descriptions that match the template of the subscription now.

    A description with nothing but a name no longer matches. For other messages, the result is None.
    """
    read = _native.directory_changes(json.dumps(message.write()))
    return None if read is None else _read(read)


def _write(description: Description | Service) -> str:
    if isinstance(description, Service):
        description = Description(services=[description])
    data = _parts(description, ("agent", "protocols", "ontologies", "languages"))
    data["services"] = [_write_service(service) for service in description.services]
    if description.lease is not None:
        data["leaseMs"] = round(description.lease * 1000)
    return json.dumps(data)


def _write_service(service: Service) -> dict[str, Any]:
    data = _parts(service, ("name", "type", "protocols", "ontologies", "languages", "ownership"))
    data["properties"] = {
        name: {"number": str(value)} if isinstance(value, (int, float)) else value
        for name, value in service.properties.items()
    }
    return data


def _parts(of: Any, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(of, name) for name in names}
    return {
        name: value if isinstance(value, str) else list(value) for name, value in values.items() if value is not None
    }


def _read(text: str) -> list[Description]:
    return [_read_description(data) for data in json.loads(text)]


def _read_description(data: dict[str, Any]) -> Description:
    services = tuple(_read_service(service) for service in data.pop("services"))
    lease = data.pop("leaseMs", None)
    return Description(services=services, lease=None if lease is None else lease / 1000, **_tuples(data))


def _read_service(data: dict[str, Any]) -> Service:
    properties = {name: _read_value(value) for name, value in data.pop("properties", {}).items()}
    return Service(properties=properties, **_tuples(data))


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


def _read_value(value: Any) -> Any:
    if not isinstance(value, dict) or "number" not in value:
        return value
    number = value["number"]
    try:
        return int(number)
    except ValueError:
        return float(number)

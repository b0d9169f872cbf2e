"""Messages between agents: FIPA ACL messages, delivered once and in order."""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .directory import Directory
from .session import Session, Stream, Subscription

_TOGETHER = 32
"""Number of messages after which `Mail` acknowledges them, even if more are waiting."""

_KEYS = {
    "language": "language",
    "encoding": "encoding",
    "ontology": "ontology",
    "protocol": "protocol",
    "conversation_id": "conversationId",
    "reply_with": "replyWith",
    "in_reply_to": "inReplyTo",
    "reply_by": "replyBy",
}


@dataclass(frozen=True)
class Message:
    """A FIPA ACL message: `Message("inform", ["bob"], "it is done")`.

    An agent is its name, or a mapping with `name`, `addresses`, `resolvers` and `parameters`. A value such as
    `conversation_id` is a text; other kinds are mappings, such as `{"number": "12"}`, as the protocol writes them.
    """

    performative: str
    receivers: Sequence[Any] = ()
    content: str | bytes | None = None
    sender: Any = None
    reply_to: Sequence[Any] = ()
    language: Any = None
    encoding: Any = None
    ontology: Any = None
    protocol: str | None = None
    conversation_id: Any = None
    reply_with: Any = None
    in_reply_to: Any = None
    reply_by: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def reply(self, performative: str, content: str | bytes | None = None, **others: Any) -> Message:
        """Returns a response to this message, for the agents that should get it, in the same conversation, protocol,
        language and ontology, and in reply to this message."""
        answer = {
            "language": self.language,
            "ontology": self.ontology,
            "protocol": self.protocol,
            "conversation_id": self.conversation_id,
            "in_reply_to": self.reply_with,
            **others,
        }
        receivers = self.reply_to or ([] if self.sender is None else [self.sender])
        return Message(performative, receivers, content, **answer)

    @staticmethod
    def read(data: Mapping[str, Any]) -> Message:
        """Reads a message as the protocol writes it."""
        content = data.get("content")
        if isinstance(content, dict):
            content = base64.b64decode(content["bytes"])
        return Message(
            data["performative"],
            tuple(data.get("receivers", ())),
            content,
            data.get("sender"),
            tuple(data.get("replyTo", ())),
            parameters={one["name"]: one["value"] for one in data.get("parameters", ())},
            **{name: data.get(key) for name, key in _KEYS.items()},
        )

    def write(self) -> dict[str, Any]:
        """Returns the message as the protocol writes it."""
        content: Any = self.content
        if isinstance(content, bytes):
            content = {"bytes": base64.b64encode(content).decode()}
        data = {
            "performative": self.performative,
            "receivers": list(self.receivers),
            "replyTo": list(self.reply_to),
            "parameters": [{"name": name, "value": value} for name, value in self.parameters.items()],
            "sender": self.sender,
            "content": content,
            **{key: getattr(self, name) for name, key in _KEYS.items()},
        }
        return {key: value for key, value in data.items() if value is not None}


class Mail(Stream[Message]):
    """The messages that an agent gets, in order, each once: `async for message in mail`.

    It acknowledges messages when the program takes them. Another `Mail` of the same agent replaces this one.
    """

    def __init__(self, session: Session, agent: str) -> None:
        self._session = session
        self._agent = agent
        self._notifications = Subscription(session, {"mail": {"agent": agent}}, json.loads)
        self._waiting: deque[tuple[int, Message]] = deque()
        self._unacknowledged = 0

    async def receive(self) -> Message:
        """Returns the next message.

        Raises `Ended` if the session has ended or the mail was closed, and `Refused` if the agent is no longer
        registered.
        """
        while not self._waiting:
            messages = (await self._notifications.receive())["messages"]
            known = self._session.received.get(self._agent, 0)
            self._waiting.extend(
                (one["number"], Message.read(one["message"])) for one in messages if one["number"] > known
            )
            if not self._waiting:
                # The server has sent them again, since it did not get the acknowledgement.
                self._acknowledge()
        number, message = self._waiting.popleft()
        self._session.received[self._agent] = number
        self._unacknowledged += 1
        if not self._waiting or self._unacknowledged >= _TOGETHER:
            self._acknowledge()
        return message

    def close(self) -> None:
        """Ends the subscription. Messages then wait in the mailbox."""
        if self._unacknowledged:
            self._acknowledge()
        self._notifications.close()

    def _acknowledge(self) -> None:
        """Tells the server the last message that was taken. If it does not arrive, the next one includes it."""
        number = self._session.received.get(self._agent, 0)
        self._session.start("acknowledgeMail", {"agent": self._agent, "number": number})
        self._unacknowledged = 0

    @property
    def _goes_on(self) -> bool:
        return not self._notifications.closed

    def __repr__(self) -> str:
        return f"<mail of {self._agent}>"


class Mailbox:
    """The mailbox of an agent that needs no environment. `address` is as that of `RemoteAgent`."""

    def __init__(self, session: Session, name: str, address: str) -> None:
        self._session = session
        self.name = name
        self.address = address

    async def send(self, message: Message) -> None:
        """Sends a message, as `RemoteAgent.send` does."""
        await send(self._session, self.name, message)

    def mail(self) -> Mail:
        """Subscribes to the messages for the agent."""
        return Mail(self._session, self.name)

    @property
    def directory(self) -> Directory:
        """The directory of the server, asked by the agent."""
        return Directory(self._session, self.name)

    async def close(self) -> None:
        """Closes the mailbox. The senders of messages that the agent has not received get failures."""
        await self._session.call("closeMailbox", {"agent": self.name})
        self._session.received.pop(self.name, None)

    def __repr__(self) -> str:
        return f"<mailbox of {self.name}>"


async def send(session: Session, agent: str, message: Message) -> None:
    """Sends a message from an agent. It is sent once, even if the connection is lost."""
    session.sent += 1
    await session.call("send", {"agent": agent, "message": message.write(), "number": session.sent})

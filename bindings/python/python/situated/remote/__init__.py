"""Agents, observers and hosts on a server, over the wire protocol.

async with situated.remote.connect("tcp://127.0.0.1:7467") as client:
    agent = await client.environment("find-goals").register("ada")
    await agent.associate("red")
    await agent.act("up")
    for entity, perception in (await agent.perceive()).items():
        print(entity, "perceives", *perception.add)
"""

from ..perception import Form, Moment, Perception
from .agent import RemoteAgent, Stepped
from .client import PATIENCE, Client, Role, connect
from .conversations import Conversations, SeenMessage
from .directory import Description, Directory, Service, changes
from .environment import RemoteEnvironment
from .errors import (
    AddressError,
    Busy,
    ConnectError,
    Declined,
    Ended,
    Misunderstood,
    NotDone,
    Refused,
    RemoteError,
    TooLong,
    Uncertain,
)
from .hosted import HostCall, Hosted, Resumed
from .mail import Mail, Mailbox, Message
from .messages import EntityListed, EnvironmentStatus, Greeting, Happenings, Limits, Scene
from .session import Subscription

__all__ = [
    "PATIENCE",
    "AddressError",
    "Busy",
    "Client",
    "ConnectError",
    "Conversations",
    "Declined",
    "Description",
    "Directory",
    "Ended",
    "EntityListed",
    "EnvironmentStatus",
    "Form",
    "Greeting",
    "Happenings",
    "HostCall",
    "Hosted",
    "Limits",
    "Mail",
    "Mailbox",
    "Message",
    "Misunderstood",
    "Moment",
    "NotDone",
    "Perception",
    "Refused",
    "RemoteAgent",
    "RemoteEnvironment",
    "RemoteError",
    "Resumed",
    "Role",
    "Scene",
    "SeenMessage",
    "Service",
    "Stepped",
    "Subscription",
    "TooLong",
    "Uncertain",
    "changes",
    "connect",
]

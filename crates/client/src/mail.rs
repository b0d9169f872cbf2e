//! Messages between agents.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use situated_acl::Message;
use situated_wire::methods::{AcknowledgeMail, CloseMailbox, OpenMailbox, SendMessage, Topic};
use situated_wire::notifications::{Mail as Notification, MessageReceived};
use situated_wire::{AclMessage, Name};

use crate::client::Client;
use crate::directory::Directory;
use crate::{Answer, Error, Subscription};

/// Number of messages after which [`Mail`] acknowledges them, even if more are waiting.
const TOGETHER: u64 = 32;

/// The mailbox of an agent that needs no environment. An agent in an environment sends and receives with
/// [`Agent::send`](crate::Agent::send) and [`Agent::mail`](crate::Agent::mail) instead. When it is dropped, the mailbox is
/// closed, at the latest at the end of the session.
pub struct Mailbox {
    correspondence: Correspondence,
    has_ended: bool,
}

/// The side of an agent in its messages.
pub(crate) struct Correspondence {
    client: Client,
    agent: Name,
    address: Name,
    received: Arc<AtomicU64>,
}

/// The messages that an agent gets, in order, each once. Dropping this cancels the subscription; messages then wait in the
/// mailbox. Another `Mail` of the same agent replaces this one.
///
/// It acknowledges messages when the program takes them.
pub struct Mail {
    client: Client,
    agent: Name,
    notifications: Subscription<Notification>,
    waiting: VecDeque<MessageReceived>,
    /// The number of the last message that the program has taken, in this `Mail` or an earlier one.
    received: Arc<AtomicU64>,
    /// Number of messages that the program has taken and that are not acknowledged.
    unacknowledged: u64,
}

impl Client {
    /// Opens a mailbox: registers an agent with the server, in no environment. Its name is unique on the server.
    pub fn open_mailbox(&self, agent: &str) -> Answer<'static, Mailbox> {
        let (client, agent) = (self.clone(), Name::from(agent));
        self.call(OpenMailbox { agent: agent.clone() }).map(|opened| {
            let correspondence = Correspondence::new(client, agent, opened.address);
            Mailbox { correspondence, has_ended: false }
        })
    }
}

impl Mailbox {
    /// The name of its agent.
    pub fn name(&self) -> &str {
        &self.correspondence.agent
    }

    /// The address of its agent, as [`Agent::address`](crate::Agent::address) returns it.
    pub fn address(&self) -> &str {
        self.correspondence.address()
    }

    /// Sends a message, as [`Agent::send`](crate::Agent::send) does.
    pub fn send(&self, message: &Message<'_>) -> Answer<'static, ()> {
        self.correspondence.send(message)
    }

    /// Subscribes to the messages for the agent.
    pub fn mail(&self) -> Answer<'static, Mail> {
        self.correspondence.mail()
    }

    /// The directory of the server, asked by the agent.
    pub fn directory(&self) -> Directory {
        self.correspondence.directory()
    }

    /// Closes the mailbox. The senders of messages that the agent has not received get failures.
    pub fn close(mut self) -> Answer<'static, ()> {
        self.has_ended = true;
        let Correspondence { client, agent, .. } = &self.correspondence;
        client.call(CloseMailbox { agent: agent.clone() }).map(drop)
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        if !self.has_ended {
            let Correspondence { client, agent, .. } = &self.correspondence;
            // If too many messages wait, it is closed at the end of the session.
            let _ = client.notify(&CloseMailbox { agent: agent.clone() });
        }
    }
}

impl Correspondence {
    /// Without an address, that is the name of the agent.
    pub(crate) fn new(client: Client, agent: Name, address: Option<Name>) -> Self {
        let address = address.unwrap_or_else(|| agent.clone());
        Self { client, agent, address, received: Arc::default() }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Sends a message. It is sent once, even if the connection is lost.
    pub(crate) fn send(&self, message: &Message<'_>) -> Answer<'static, ()> {
        let (agent, message) = (self.agent.clone(), Box::new(AclMessage::from(message)));
        self.client.numbered(|number| self.client.call(SendMessage { agent, message, number: Some(number) })).map(drop)
    }

    pub(crate) fn directory(&self) -> Directory {
        self.client.directory(&self.agent)
    }

    pub(crate) fn mail(&self) -> Answer<'static, Mail> {
        let Self { client, agent, received, .. } = self;
        let (client, agent, received) = (client.clone(), agent.clone(), received.clone());
        client.subscribe(Topic::Mail { agent: agent.clone() }).map(|notifications| Mail {
            client,
            agent,
            notifications,
            waiting: VecDeque::new(),
            received,
            unacknowledged: 0,
        })
    }
}

impl Mail {
    /// Waits for the next message.
    ///
    /// # Errors
    /// The answer is an error when the session has ended, or the agent is no longer registered.
    pub fn receive(&mut self) -> Answer<'_, Message<'static>> {
        Answer::new(async {
            loop {
                if let Some(MessageReceived { number, message, .. }) = self.waiting.pop_front() {
                    self.received.store(number, Ordering::Relaxed);
                    self.unacknowledged += 1;
                    if self.waiting.is_empty() || self.unacknowledged >= TOGETHER {
                        self.acknowledge();
                    }
                    return Message::try_from(message).map_err(|error| Error::Misunderstood {
                        about: <Notification as situated_wire::notifications::Notify>::NAME,
                        reason: error.to_string(),
                    });
                }
                let known = self.received.load(Ordering::Relaxed);
                let told = self.notifications.receive().await?;
                self.waiting.extend(told.messages.into_iter().filter(|message| message.number > known));
                if self.waiting.is_empty() {
                    // The server has sent them again, since it did not get the acknowledgement.
                    self.acknowledge();
                }
            }
        })
    }

    /// Acknowledges the messages that the program has taken.
    fn acknowledge(&mut self) {
        let (agent, number) = (self.agent.clone(), self.received.load(Ordering::Relaxed));
        // If too many messages are waiting to be sent, the next acknowledgement includes this one.
        if self.client.notify(&AcknowledgeMail { agent, number }).is_ok() {
            self.unacknowledged = 0;
        }
    }
}

impl Drop for Mail {
    fn drop(&mut self) {
        if self.unacknowledged > 0 {
            self.acknowledge();
        }
    }
}

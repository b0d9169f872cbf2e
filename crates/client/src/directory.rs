//! The directory of a server, for programs.

use situated_acl::{Message, Performative};
use situated_platform::directory::asking;
use situated_wire::methods::{AskDirectory, DirectoryAnswer};
use situated_wire::{AclMessage, Method, Name};

use crate::client::Client;
use crate::{Answer, Error};

pub use situated_platform::directory::asking::changes;
pub use situated_platform::directory::{Declined, Description, Service};

/// The directory of a server, which an agent asks: the agents that are registered with the server, and the services that
/// agents have registered. [`Mailbox::directory`](crate::Mailbox::directory) and
/// [`Agent::directory`](crate::Agent::directory) return it.
///
/// ```no_run
/// # async fn example(seller: &situated_client::Mailbox, buyer: &situated_client::Mailbox) -> Result<(), situated_client::Error> {
/// use situated_client::directory::Service;
///
/// seller.directory().register(Service::new("plums", "trade").property("price", 3)).await?;
/// let found = buyer.directory().search(Service::of_type("trade")).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Directory {
    client: Client,
    agent: Name,
}

impl Client {
    /// The directory, asked by this agent of the session.
    pub fn directory(&self, agent: &str) -> Directory {
        Directory { client: self.clone(), agent: agent.into() }
    }
}

impl Directory {
    /// Asks the agent `ams` or `df`, which is the receiver of the message. After a lost connection, it may be asked
    /// again.
    pub fn ask(&self, message: &Message<'_>) -> Answer<'static, Message<'static>> {
        let (client, agent) = (self.client.clone(), self.agent.clone());
        let asked = client.call(AskDirectory { agent, message: Box::new(AclMessage::from(message)) });
        Answer::new(async {
            let DirectoryAnswer { message, .. } = asked.await?;
            Message::try_from(*message)
                .map_err(|error| Error::Misunderstood { about: AskDirectory::NAME, reason: error.to_string() })
        })
    }

    /// Registers the services of the agent. They replace those that it has registered before.
    pub fn register(&self, description: impl Into<Description>) -> Answer<'static, ()> {
        let description = Description { agent: Some(self.agent.to_string()), ..description.into() };
        let registered = self.ask(&asking::register(&description));
        let this = self.clone();
        Answer::new(async move {
            match asking::done(&registered.await?) {
                Err(declined) if is(&declined, "already-registered") => {
                    Ok(asking::done(&this.ask(&asking::modify(&description)).await?)?)
                }
                done => Ok(done?),
            }
        })
    }

    /// Removes the services of the agent, if it has any.
    pub fn deregister(&self) -> Answer<'static, ()> {
        let removed = self.ask(&asking::deregister(&self.agent));
        Answer::new(async move {
            match asking::done(&removed.await?) {
                Err(declined) if is(&declined, "not-registered") => Ok(()),
                done => Ok(done?),
            }
        })
    }

    /// Searches for agents whose descriptions have everything that the template has. The answer has at most 1,000
    /// descriptions and 64 KiB; search for something more specific if there may be more.
    pub fn search(&self, template: impl Into<Description>) -> Answer<'static, Vec<Description>> {
        self.search_federated(template, 0)
    }

    /// Searches as [`search`](Self::search) does, also in the directories of other platforms with which the server exchanges
    /// messages, and in those of their peers, up to `max_depth` one after another. The names of agents elsewhere end with
    /// `@PLATFORM`. A directory that does not answer within 10 s is left out.
    pub fn search_federated(
        &self,
        template: impl Into<Description>,
        max_depth: u32,
    ) -> Answer<'static, Vec<Description>> {
        let found = self.ask(&asking::search(&template.into(), max_depth));
        Answer::new(async { Ok(asking::found(&found.await?)?) })
    }

    /// The names of the agents that are registered with the server, up to the same limits.
    pub fn agents(&self) -> Answer<'static, Vec<String>> {
        let found = self.ask(&asking::search_agents());
        Answer::new(async { Ok(asking::found_agents(&found.await?)?) })
    }

    /// Subscribes to changes of the descriptions that match a template. The notifications come as mail in this conversation;
    /// [`changes`] reads them. The first one has the descriptions that match already, if there are
    /// any. A later subscription in the same conversation replaces this one.
    pub fn subscribe(&self, conversation: &str, template: impl Into<Description>) -> Answer<'static, ()> {
        self.carry_out(&asking::subscribe(conversation, &template.into()))
    }

    /// Ends the subscription of a conversation.
    pub fn cancel(&self, conversation: &str) -> Answer<'static, ()> {
        self.carry_out(&asking::cancel(conversation))
    }

    fn carry_out(&self, message: &Message<'_>) -> Answer<'static, ()> {
        let done = self.ask(message);
        Answer::new(async { Ok(asking::done(&done.await?)?) })
    }
}

fn is(declined: &Declined, reason: &str) -> bool {
    declined.act == Performative::Failure && declined.reason == reason
}

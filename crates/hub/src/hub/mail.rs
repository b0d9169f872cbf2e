//! Requests for messages between agents.

use std::sync::Arc;

use situated_acl::Message;
use situated_runtime::wall_clock;
use situated_wire::methods::{AcknowledgeMail, AskDirectory, CloseMailbox, MailboxOpened, OpenMailbox, SendMessage};
use situated_wire::{AclMessage, Name};

use super::{AtHub, Hub};
use crate::error::Error;
use crate::post::check_name;
use crate::reply::Reply;

impl AtHub for OpenMailbox {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let checked = hub.check_data().and_then(|()| check_name(&self.agent));
        let opened = checked.and_then(|()| hub.post.claim(reply.session(), &self.agent, None, None));
        reply.send(opened.map(|address| {
            let address = Some(address).filter(|address| *address != self.agent.0).map(Name);
            MailboxOpened { address, time: wall_clock() }
        }));
    }
}

impl AtHub for CloseMailbox {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let checked = hub.check_data().and_then(|()| hub.post.check_owner(reply.session(), &self.agent));
        if checked.is_ok() {
            hub.post.release(reply.session(), &self.agent, None);
        }
        reply.send_time(checked);
    }
}

impl AtHub for SendMessage {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let SendMessage { agent, message, number } = self;
        let read = hub.check_data().and_then(|()| read(*message));
        let sent = read.and_then(|message| hub.post.send(reply.session(), &agent, number, message));
        match sent {
            Err(error) => reply.refuse(error),
            Ok(delivery) => {
                // An agent that writes to itself gets the answer first.
                reply.send_time(Ok(()));
                hub.post.deliver(delivery);
            }
        }
    }
}

impl AtHub for AskDirectory {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        match hub.check_data().and_then(|()| read(*self.message)) {
            Ok(message) => hub.post.ask(self.agent.0, message, reply),
            Err(error) => reply.refuse(error),
        }
    }
}

impl AtHub for AcknowledgeMail {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let acknowledged = hub.post.acknowledge(reply.session(), &self.agent, self.number);
        reply.send_time(acknowledged);
    }
}

fn read(message: AclMessage) -> Result<Message<'static>, Error> {
    Message::try_from(message).map_err(|error| Error::Parameters(format!("the message is invalid: {error}")))
}

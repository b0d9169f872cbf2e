//! Requests for messages between agents.

use std::sync::Arc;

use situated::names::check_clear;

use super::sessions::subscribe;
use super::{AtHub, Hub};
use crate::answers::{DoneByHub, Subscribed};
use crate::data::KeptTopic;
use crate::error::Error;
use crate::reply::Reply;
use crate::requests::{
    AcknowledgeMail, AskDirectory, CloseMailbox, OpenMailbox, SendMessage, SubscribeToConversations, SubscribeToMail,
};

impl AtHub for OpenMailbox {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let checked = hub.check_data().and_then(|()| check_clear(&self.agent).map_err(Error::UnclearAgent));
        let opened = checked.and_then(|()| hub.post.claim(reply.session(), &self.agent, None));
        reply.send(opened.map(|()| DoneByHub));
    }
}

impl AtHub for CloseMailbox {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let checked = hub.check_data().and_then(|()| hub.post.check_owner(reply.session(), &self.agent));
        if checked.is_ok() {
            hub.post.release(reply.session(), &self.agent, None);
        }
        reply.send(checked.map(|()| DoneByHub));
    }
}

impl AtHub for SendMessage {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let SendMessage { agent, message, number } = self;
        let sent = hub.check_data().and_then(|()| hub.post.send(reply.session(), &agent, number, *message));
        match sent {
            Err(error) => reply.refuse(error),
            Ok(delivery) => {
                // An agent that writes to itself gets the answer first.
                reply.answer(DoneByHub);
                hub.post.deliver(delivery);
            }
        }
    }
}

impl AtHub for AskDirectory {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        match hub.check_data() {
            Ok(()) => hub.post.ask(self, reply),
            Err(error) => reply.refuse(error),
        }
    }
}

impl AtHub for AcknowledgeMail {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let acknowledged = hub.post.acknowledge(reply.session(), &self.agent, self.number);
        reply.send(acknowledged.map(|()| DoneByHub));
    }
}

impl AtHub for SubscribeToMail {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let session = reply.session().clone();
        match hub.post.subscribe(&session, &self.agent) {
            Err(error) => reply.refuse(error),
            Ok(subscription) => {
                reply.answer(Subscribed { subscription });
                hub.post.begin(&session, subscription);
            }
        }
    }
}

impl AtHub for SubscribeToConversations {
    fn handle(self, hub: &Arc<Hub>, reply: Reply<Self>) {
        let Self { filter } = self;
        if let Err(error) = filter.check() {
            return reply.refuse(error);
        }
        let topic = KeptTopic::Conversations { filter: filter.clone() };
        subscribe(reply, topic, |session, number| hub.conversations.feed().subscribe(session, number, filter));
    }
}

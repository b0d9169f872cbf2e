//! The messages of the feed for observers.

use situated_acl::Expression;
use situated_wire::methods::ConversationFilter;

use crate::feed::Item;
use crate::notifications::{MessageSeen, Notification};

impl Item for MessageSeen {
    type Filter = ConversationFilter;
    const TEXT: &'static str = "bytes of a name in a filter of messages";

    fn number(&self) -> u64 {
        self.number
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn matches(&self, filter: &ConversationFilter) -> bool {
        let message = &self.message;
        let is_agent = |name: &str| {
            message.sender_name() == Some(name) || message.receivers.iter().any(|receiver| receiver.name == name)
        };
        let is_protocol =
            |name: &str| message.protocol.as_ref().is_some_and(|protocol| protocol.as_str().eq_ignore_ascii_case(name));
        let is_conversation =
            |id: &str| message.conversation_id.as_ref().and_then(Expression::as_text).is_some_and(|known| known == id);
        filter.agent.as_ref().is_none_or(|name| is_agent(name))
            && filter.protocol.as_deref().is_none_or(is_protocol)
            && filter.conversation.as_deref().is_none_or(is_conversation)
    }

    fn texts(filter: &ConversationFilter) -> impl Iterator<Item = &str> {
        let agent = filter.agent.as_ref().map(|name| name.as_str());
        [agent, filter.protocol.as_deref(), filter.conversation.as_deref()].into_iter().flatten()
    }

    fn notification<'a>(subscription: u64, messages: &'a [&'a Self], lost: u64) -> Notification<'a> {
        Notification::Conversations { subscription, messages, lost }
    }
}

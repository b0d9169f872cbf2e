//! Building messages, and copying them to their own memory.

use proptest::prelude::*;
use situated_acl::Message;

use crate::random_messages::message;

proptest! {
    #[test]
    fn messages_with_their_own_memory_are_equal(message in message()) {
        prop_assert_eq!(message.clone().into_owned(), message);
    }

    #[test]
    fn responses_belong_to_the_same_conversation(message in message()) {
        let answer = message.reply(situated_acl::Performative::Inform);
        prop_assert_eq!(&answer.conversation_id, &message.conversation_id);
        prop_assert_eq!(&answer.in_reply_to, &message.reply_with);
    }
}

#[test]
fn builds_a_message_in_one_expression() {
    let message = Message::cfp()
        .from("A")
        .to("B")
        .to("C")
        .content("<proposal><product>plum</product></proposal>")
        .language("XML")
        .conversation_id("2000-06-10-384");
    assert_eq!(message.receivers.len(), 2);
}

//! Building messages, copying them to their own memory, and judging them without any.

use proptest::prelude::*;
use situated_acl::{Conversation, Message, Monitor, Performative, Profile, Protocol, Role, Tokens};

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

#[test]
fn judging_a_message_of_a_known_conversation_allocates_nothing() {
    let mut conversation = Conversation::new(Protocol::Subscribe, Profile::Standard, Role::Initiator, "c1");
    let mut monitor = Monitor::new(Profile::Standard);
    let mut tokens = Tokens::new("reply", 0);
    let subscription = Message::subscribe().from("A@here").to("B@there").protocol(Protocol::Subscribe);
    let subscription = subscription.conversation_id("c1").reply_with(tokens.fresh());
    let informs: Vec<_> =
        (0..100).map(|_| subscription.reply(Performative::Inform).reply_with(tokens.fresh())).collect();
    conversation.sent(&subscription, 0);
    monitor.observe(&subscription, 0);
    let allocated = allocation_counter::measure(|| {
        for inform in &informs {
            assert!(!conversation.received(inform, 1).is_violation());
            assert!(monitor.observe(inform, 1).is_empty());
        }
    });
    assert_eq!(allocated.count_total, 0);
}

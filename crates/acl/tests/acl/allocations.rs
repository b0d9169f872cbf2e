//! Judging allocates no memory in known conversations.

use situated_acl::{Conversation, Message, Monitor, Performative, Profile, Protocol, Role, Tokens};

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

//! Messages that cannot be delivered or accepted, and what their senders learn.

use situated_acl::{AgentIdentifier, Message, Performative, Word};
use situated_platform::mail::{Letter, Limits, Mail, MailChange, MailRefused, Routed, STREAM_BITS};

fn exists(name: &str) -> bool {
    ["ada", "bob", "two words"].contains(&name)
}

fn send(mail: &mut Mail, sender: &str, message: Message<'static>) -> Result<(), MailRefused> {
    mail.send(&sender.into(), None, message, exists, 0)
}

fn letters(mail: &Mail, agent: &str) -> Vec<Letter> {
    mail.waiting(agent, 0).cloned().collect()
}

#[test]
fn a_message_to_nobody_comes_back_as_a_failure_with_the_reason() {
    let mut mail = Mail::new(Limits::default());
    let message = Message::cfp().to("bob").to("zoe").reply_to("bob").conversation_id("c1").reply_with("r1");
    let message = message.protocol(Word::new("fipa-contract-net").unwrap()).content("plums").language("english");
    send(&mut mail, "ada", message).unwrap();
    assert_eq!(letters(&mail, "bob")[0].message.content, Some("plums".into()));
    let [failure] = letters(&mail, "ada").try_into().expect("one message");
    let failure = failure.message;
    assert_eq!((failure.performative, failure.sender_name()), (Performative::Failure, Some("ams")));
    assert_eq!(failure.receivers, [AgentIdentifier::new("ada")]);
    assert_eq!(failure.conversation_id, Some("c1".into()));
    assert_eq!(failure.in_reply_to, Some("r1".into()));
    assert_eq!(failure.protocol.clone().unwrap().as_str(), "fipa-contract-net");
    assert_eq!(failure.language, Some("fipa-sl0".into()));
    assert_eq!(failure.ontology, Some("FIPA-Agent-Management".into()));
    let content = "((action (agent-identifier :name ada) (cfp :receiver (set (agent-identifier :name zoe)) \
                   :protocol fipa-contract-net :conversation-id c1 :reply-with r1)) not-registered)";
    assert_eq!(failure.content.clone().unwrap().as_text(), Some(content));
}

#[test]
fn names_that_are_no_words_are_quoted() {
    let mut mail = Mail::new(Limits::default());
    send(&mut mail, "two words", Message::inform().to("no \"body\"")).unwrap();
    let content = letters(&mail, "two words").remove(0).message.content.clone().unwrap();
    let wanted = "((action (agent-identifier :name \"two words\") (inform :receiver (set (agent-identifier :name \
                  \"no \\\"body\\\"\")))) not-registered)";
    assert_eq!(content.as_text(), Some(wanted));
}

#[test]
fn a_failure_never_answers_a_failure() {
    let mut mail = Mail::new(Limits::default());
    for act in [Performative::Failure, Performative::NotUnderstood] {
        send(&mut mail, "ada", Message::new(act).to("ams")).unwrap();
    }
    assert_eq!(letters(&mail, "ada"), []);
}

#[test]
fn the_sender_cannot_be_forged() {
    let mut mail = Mail::new(Limits::default());
    let refused = send(&mut mail, "ada", Message::inform().from("bob").to("bob")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the message claims to be from `bob`, but agent `ada` sends it; leave out the sender"
    );
    send(&mut mail, "ada", Message::inform().to("bob")).unwrap();
    send(&mut mail, "ada", Message::inform().from(AgentIdentifier::new("ada").address("x:y")).to("bob")).unwrap();
    let senders: Vec<_> =
        letters(&mail, "bob").into_iter().map(|letter| letter.message.sender.clone().unwrap()).collect();
    assert_eq!(senders, [AgentIdentifier::new("ada"), AgentIdentifier::new("ada").address("x:y")]);
}

#[test]
fn limits_are_errors_to_the_sender_and_change_nothing() {
    let limits = Limits { receivers: 2, message_bytes: 5000, messages: 4, rate: 6, ..Limits::default() };
    let mut mail = Mail::new(limits);
    let to_bob = || Message::inform().to("bob");
    let refused = |mail: &mut Mail, message| send(mail, "ada", message).unwrap_err().to_string();
    assert_eq!(refused(&mut mail, Message::inform()), "the message has no receiver; name at least one agent");
    let three = to_bob().to("x").to("y");
    assert_eq!(
        refused(&mut mail, three),
        "the message has 3 receivers; at most 2 are allowed, so send it in several parts"
    );
    let large = refused(&mut mail, to_bob().content("x".repeat(5000)));
    assert!(large.ends_with("at most 5000 are allowed, so send its content in parts"), "{large}");
    send(&mut mail, "ada", to_bob().to("bob")).unwrap();
    send(&mut mail, "ada", to_bob()).unwrap();
    // Named twice, it gets one message.
    assert_eq!(letters(&mail, "bob").len(), 2);
    let bytes = letters(&mail, "bob").iter().map(|letter| letter.bytes).sum::<usize>();
    assert_eq!(
        refused(&mut mail, to_bob().to("two words")),
        format!(
            "your 2 messages ({bytes} bytes) in the mailbox of agent `bob` take as much of it as they leave free for \
             others; send the message again when the agent has taken some of them"
        )
    );
    send(&mut mail, "two words", to_bob()).unwrap();
    assert_eq!(
        send(&mut mail, "bob", to_bob()).unwrap_err().to_string(),
        "the mailbox of agent `bob` is full; send the message again when the agent has taken some messages"
    );
    assert_eq!(letters(&mail, "two words"), []);
    for _ in 0..4 {
        send(&mut mail, "ada", Message::inform().to("zoe")).unwrap();
    }
    assert!(refused(&mut mail, Message::inform().to("zoe")).contains("take your mail first"));
    assert_eq!(
        refused(&mut mail, Message::inform().to("two words")),
        "agent `ada` sends more than 6 messages per second; wait a moment and send the message again"
    );
    mail.send(&"ada".into(), None, Message::inform().to("two words"), exists, 250).unwrap();
}

#[test]
fn an_account_gets_as_much_of_a_mailbox_as_it_leaves_free() {
    let mut mail = Mail::new(Limits { messages: 8, ..Limits::default() });
    let flood = |mail: &mut Mail, agent: &str| {
        let accepted = (0..10).take_while(|_| send(mail, agent, Message::inform().to("bob")).is_ok()).count();
        (accepted, send(mail, agent, Message::inform().to("bob")).unwrap_err())
    };
    let (accepted, refused) = flood(&mut mail, "ada");
    assert_eq!(accepted, 4);
    let messages = |refused: &MailRefused| match refused {
        MailRefused::ShareOfMailbox { agent, messages, .. } if agent == "bob" => *messages,
        other => panic!("{other}"),
    };
    assert_eq!(messages(&refused), 4);
    // Others have half of the rest.
    let (accepted, refused) = flood(&mut mail, "two words");
    assert_eq!((accepted, messages(&refused)), (2, 2));
    send(&mut mail, "bob", Message::inform().to("bob")).unwrap();
    let number = letters(&mail, "bob")[1].number;
    mail.acknowledge("bob", number).unwrap();
    assert_eq!(
        (letters(&mail, "bob").len(), flood(&mut mail, "ada").0),
        (5, 0),
        "with another one it had 3, and 2 were free"
    );
}

#[test]
fn an_account_gets_as_much_of_all_mailboxes_as_it_leaves_free() {
    let size = {
        let mut mail = Mail::new(Limits::default());
        send(&mut mail, "ada", Message::inform().to("bob")).unwrap();
        mail.bytes()
    };
    let mut mail = Mail::new(Limits { bytes: 9 * size, ..Limits::default() });
    let routed = || Routed { known: vec!["bob".into()], account: "one owner".into(), ..Routed::default() };
    let agents = ["ada", "two words"].into_iter().cycle();
    let mut refused = None;
    for agent in agents.take(10) {
        // All agents of an owner share its account.
        refused = mail.dispatch(&agent.into(), None, Message::inform().to("bob"), routed(), 0).err();
    }
    let (bytes, limit) = (mail.bytes(), 9 * size);
    assert_eq!(refused, Some(MailRefused::Share { bytes, limit }));
    assert_eq!(bytes / size, 4);
    mail.send(&"ada".into(), None, Message::inform().to("two words"), exists, 0).unwrap();
    let last = letters(&mail, "bob").last().unwrap().number;
    mail.acknowledge("bob", last).unwrap();
    mail.close("two words", |_| false, 0);
    assert_eq!(mail.bytes(), 0);
}

#[test]
fn a_message_can_be_taken_before_earlier_ones() {
    let mut mail = Mail::restore(Limits::default(), 0, [], [], 0);
    (0..3).for_each(|_| send(&mut mail, "ada", Message::inform().to("bob").to("two words")).unwrap());
    let numbers: Vec<u64> = letters(&mail, "bob").iter().map(|letter| letter.number).collect();
    assert!(mail.take(&"bob".into(), numbers[1]));
    assert!(!mail.take(&"bob".into(), numbers[1]));
    let mut mail = restored(mail.take_changes());
    let waiting = |mail: &Mail| letters(mail, "bob").iter().map(|letter| letter.number).collect::<Vec<_>>();
    assert_eq!(waiting(&mail), [numbers[0], numbers[2]]);
    assert_eq!(letters(&mail, "two words").len(), 3);
    mail.acknowledge("bob", numbers[0]).unwrap();
    assert_eq!((waiting(&mail), mail.acknowledged("bob")), (vec![numbers[2]], numbers[0]));
    assert!(mail.take(&"bob".into(), numbers[2]));
    assert_eq!((waiting(&mail), mail.acknowledged("bob")), (vec![], numbers[2]));
}

#[test]
fn a_refused_message_can_be_sent_again_with_its_number() {
    let mut mail = Mail::new(Limits { messages: 2, ..Limits::default() });
    let mut send = |number, receiver: &str, content: &str| {
        let message = Message::inform().to(receiver.to_owned()).content(content.to_owned());
        mail.send(&"ada".into(), Some(number), message, exists, 0).map(|()| letters(&mail, receiver))
    };
    send(1, "bob", "one").unwrap();
    assert!(matches!(send(2, "bob", "two"), Err(MailRefused::ShareOfMailbox { .. })));
    send(3, "two words", "three").unwrap();
    // Its first answer may have got lost.
    assert!(matches!(send(2, "bob", "two"), Err(MailRefused::ShareOfMailbox { .. })));
    assert_eq!(send(1, "bob", "one").unwrap().len(), 1);
    assert_eq!(send(3, "two words", "three").unwrap().len(), 1);
    let number = letters(&mail, "bob")[0].number;
    mail.acknowledge("bob", number).unwrap();
    let again = |mail: &mut Mail| {
        mail.send(&"ada".into(), Some(2), Message::inform().to("bob").content("two"), exists, 0).unwrap();
        letters(mail, "bob").into_iter().map(|letter| letter.message.content.clone().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(again(&mut mail), ["two".into()]);
    assert_eq!(again(&mut mail), ["two".into()]);
}

/// The mail of another process after these changes were written.
fn restored(changes: impl IntoIterator<Item = MailChange>) -> Mail {
    let mut mailboxes = std::collections::BTreeMap::new();
    let mut kept = Vec::new();
    for change in changes {
        match change {
            MailChange::Accepted(letter) => kept.push((*letter).clone()),
            MailChange::Mailbox(agent, one) => drop(mailboxes.insert(agent, one)),
            MailChange::Closed(agent, _) => drop(mailboxes.remove(&agent)),
            MailChange::Done(number) => kept.retain(|letter| letter.number != number),
        }
    }
    Mail::restore(Limits::default(), 0, kept, mailboxes, 0)
}

#[test]
fn a_platform_that_returns_to_earlier_data_counts_on_there() {
    let (earlier, later) = (7 << STREAM_BITS, 9 << STREAM_BITS);
    let contents = |sender: &str, then: [u64; 2]| {
        let mut mail = Mail::restore(Limits::default(), 0, [], [], 0);
        let send = |mail: &mut Mail, number: u64| {
            let message = Message::inform().to("bob").content(number.to_string());
            let routed = Routed { known: vec!["bob".into()], ..Routed::default() };
            mail.dispatch(&sender.into(), Some(number), message, routed, 0).unwrap();
        };
        [earlier + 1, later + 5, earlier + 2, earlier + 2].iter().for_each(|&number| send(&mut mail, number));
        let mut mail = restored(mail.take_changes());
        then.iter().for_each(|&number| send(&mut mail, number));
        let content = |letter: Letter| letter.message.content.as_ref()?.as_text()?.parse().ok();
        letters(&mail, "bob").into_iter().filter_map(content).collect::<Vec<u64>>()
    };
    let then = [earlier + 2, earlier + 3];
    assert_eq!(contents("@farm", then), [earlier + 1, later + 5, earlier + 2, earlier + 3], "each once");
    // The numbers of an agent are its own.
    assert_eq!(contents("ada", then), [earlier + 1, later + 5]);
}

#[test]
fn messages_of_an_earlier_agent_are_not_for_a_later_one_of_the_same_name() {
    let mut mail = Mail::restore(Limits::default(), 0, [], [], 0);
    send(&mut mail, "ada", Message::inform().to("bob").to("two words")).unwrap();
    let changes = mail.take_changes();
    mail.close("bob", exists, 0);
    send(&mut mail, "ada", Message::inform().to("bob").content("new")).unwrap();
    let contents =
        |mail: &Mail| letters(mail, "bob").into_iter().map(|one| one.message.content.clone()).collect::<Vec<_>>();
    assert_eq!(contents(&mail), [Some("new".into())]);
    let restored = restored(changes.into_iter().chain(mail.take_changes()));
    assert_eq!(contents(&restored), [Some("new".into())]);
    assert_eq!(restored.waiting("two words", 0).count(), 1);
}

#[test]
fn those_who_watch_get_each_accepted_message_once() {
    let mut mail = Mail::new(Limits { messages: 2, ..Limits::default() });
    let mut send = |number, to: &str, content: &'static str| {
        let message = Message::inform().to(to.to_owned()).content(content);
        let _ = mail.send(&"ada".into(), Some(number), message, exists, 0);
        let texts = mail.take_sent().into_iter().map(|sent| {
            let text = sent.message.content.as_ref().and_then(|content| content.as_text()).unwrap_or("").to_owned();
            (sent.message.sender_name().unwrap_or("").to_owned(), sent.message.is_delivery_report(), text)
        });
        texts.collect::<Vec<_>>()
    };
    let seen = |content: &str| vec![("ada".to_owned(), false, content.to_owned())];
    assert_eq!(send(1, "bob", "one"), seen("one"));
    assert_eq!(send(1, "bob", "one"), []);
    assert_eq!(send(2, "bob", "refused, since its share is used"), []);
    let to_nobody = send(3, "nobody", "three");
    assert_eq!(to_nobody[..1], seen("three"));
    assert!(matches!(&to_nobody[1..], [(ams, true, _)] if ams == "ams"), "{to_nobody:?}");
}

//! Tests that with `serve --data`, messages between agents continue after the server is killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use situated_acl::Message;
use situated_client::{Answer, Client, Mail, Mailbox};
use situated_wire::methods::Role;

use super::{Kept, random};

/// Number of times that the server is killed.
const KILLS: usize = 200;

const NAMES: [&str; 4] = ["ada", "bob", "cleo", "dan"];

/// The content of the last message of a sender.
const LAST: &str = "last";

fn open(server: &Kept, name: &str) -> Mailbox {
    let client = Client::connect(&format!("tcp://{}", server.address)).role(Role::Platform).wait();
    client.expect("it listens").open_mailbox(name).wait().expect("the name is free")
}

fn text(message: &Message<'_>) -> String {
    message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default().to_owned()
}

/// Sends counted messages to all agents, some to each alone, until it must stop. Several are on the way at a time.
/// Returns their number.
fn send_until(mailbox: &Mailbox, stop: &AtomicBool) -> usize {
    let to_all = |content: &str| {
        let message = Message::inform().content(content.to_owned());
        NAMES.iter().fold(message, |message, name| message.to(*name))
    };
    let accepted = |answers: Vec<Answer<'_, ()>>| answers.into_iter().try_for_each(Answer::wait).expect("all exist");
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        let mut answers = Vec::new();
        for _ in 0..8 {
            let content = count.to_string();
            if count % 2 == 0 {
                answers.push(mailbox.send(&to_all(&content)));
            } else {
                let to_one = |name: &&'static str| mailbox.send(&Message::inform().to(*name).content(content.as_str()));
                answers.extend(NAMES.iter().map(to_one));
            }
            count += 1;
        }
        accepted(answers);
    }
    accepted(vec![mailbox.send(&to_all(LAST))]);
    count
}

/// Receives messages up to the last one of each sender. Returns the contents by sender.
fn receive_all(mut mail: Mail) -> Vec<Vec<String>> {
    let mut received = vec![Vec::new(); NAMES.len()];
    let mut ended = 0;
    while ended < NAMES.len() {
        let message = mail.receive().wait().expect("the session continues");
        let sender = NAMES.iter().position(|name| message.sender_name() == Some(name));
        match text(&message) {
            content if content == LAST => ended += 1,
            content => received[sender.expect("an agent")].push(content),
        }
    }
    received
}

#[test]
fn messages_survive_two_hundred_kills_under_load() {
    let mut server = Kept::start("find-goals --grace 60", "mail_kills");
    let mailboxes = NAMES.map(|name| Arc::new(open(&server, name)));
    let receivers = mailboxes.each_ref().map(|mailbox| {
        let mail = mailbox.mail().wait().expect("it may");
        thread::spawn(move || receive_all(mail))
    });
    let stop = Arc::new(AtomicBool::new(false));
    let senders: [JoinHandle<usize>; 4] = mailboxes.each_ref().map(|mailbox| {
        let (mailbox, stop) = (mailbox.clone(), stop.clone());
        thread::spawn(move || send_until(&mailbox, &stop))
    });
    for kill in 0..KILLS {
        sleep(Duration::from_millis(20 + random() % 200));
        assert!(!senders.iter().any(JoinHandle::is_finished), "a sender has ended after {kill} kills");
        server.kill_and_restart();
    }
    server.manager();
    stop.store(true, Ordering::Relaxed);
    let counts = senders.map(|sender| sender.join().expect("each message was accepted"));
    assert!(counts.iter().sum::<usize>() > KILLS, "the server was under load: {counts:?}");
    for (name, received) in NAMES.iter().zip(receivers) {
        let received = received.join().expect("all senders have ended");
        for (sender, (contents, count)) in received.iter().zip(counts).enumerate() {
            // Once and in order: nothing is lost, nothing comes twice.
            let wanted: Vec<String> = (0..count).map(|number| number.to_string()).collect();
            assert_eq!(contents, &wanted, "{} to {name}", NAMES[sender]);
        }
    }
}

#[test]
fn mailboxes_are_restored_with_their_messages() {
    let mut server = Kept::start("find-goals --grace 60", "mailboxes");
    let (ada, bob, eve) = (open(&server, "ada"), open(&server, "bob"), open(&server, "eve"));
    let contents: Vec<String> = (0..50).map(|number| number.to_string()).collect();
    for content in &contents {
        ada.send(&Message::inform().to("bob").to("eve").content(content.as_str())).wait().expect("both exist");
    }
    server.kill_and_restart();
    let receive = |mailbox: &Mailbox, count: usize| {
        let mut mail = mailbox.mail().wait().expect("it may");
        (0..count).map(|_| text(&mail.receive().wait().expect("the session continues"))).collect::<Vec<_>>()
    };
    assert_eq!(receive(&bob, 50), contents);
    // Acknowledged messages do not come back, and others do.
    bob.send(&Message::inform().to("bob").content("me")).wait().expect("it exists");
    server.kill_and_restart();
    assert_eq!(receive(&bob, 1), ["me"]);
    assert_eq!(receive(&eve, 50), contents);
    // An agent that has left does not come back with the server.
    bob.close().wait().expect("it is open");
    server.kill_and_restart();
    ada.send(&Message::request().to("bob")).wait().expect("it is accepted");
    assert!(receive(&ada, 1)[0].ends_with(" not-registered)"));
}

//! Tests that with `serve --data`, messages between agents continue after the server is killed.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use situated_acl::{Message, Performative};
use situated_client::directory::{Description, Service};
use situated_client::{Answer, Client, Mail, Mailbox};
use situated_wire::methods::{ConversationFilter, Role, Topic};
use situated_wire::notifications::Conversations;

use super::{Kept, random};
use crate::SITUATED;
use crate::platforms::{free_ports, options_of_platform};

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
    assert!(counts.iter().sum::<usize>() > KILLS / 2, "the server was under load: {counts:?}");
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

#[test]
fn agents_of_one_name_keep_their_addresses() {
    let mut server = Kept::start("find-goals find-goals --pace reactive --grace 60", "namesakes");
    let connect =
        || Client::connect(&format!("tcp://{}", server.address)).role(Role::Platform).wait().expect("it listens");
    let carl = open(&server, "carl");
    // The environment that is restored last has the agent whose name is its address.
    let [(_first, one), (second, other)] = ["find-goals-2", "find-goals"].map(|environment| {
        let client = connect();
        let bob = client.environment(environment).register("bob").wait().expect("the name is free there");
        bob.directory().register(Service::of_type(environment)).wait().expect("it may");
        (client, bob)
    });
    let mailbox = second.open_mailbox("bob").wait().expect("it is its own");
    for _ in 0..2 {
        assert_eq!([one.address(), other.address(), mailbox.address()], ["bob", "bob~find-goals", "bob~find-goals"]);
        for to in [one.address(), other.address()] {
            carl.send(&Message::inform().to(to).content(to)).wait().expect("it exists");
        }
        server.kill_and_restart();
        for bob in [&one, &other] {
            let message = bob.mail().wait().expect("it may").receive().wait().expect("the session continues");
            assert_eq!((message.sender_name(), text(&message).as_str()), (Some("carl"), bob.address()));
        }
        let found = carl.directory().search(Description::default()).wait().expect("it may");
        let found: Vec<_> = found.into_iter().map(|found| (found.agent.unwrap_or_default(), found.services)).collect();
        let service = |name: &str, environment: &str| (name.to_owned(), vec![Service::of_type(environment)]);
        assert_eq!(found, [service("bob", "find-goals-2"), service("bob~find-goals", "find-goals")]);
    }
    // It leaves its environment, and still has its mailbox.
    other.unregister().wait().expect("it is registered");
    server.kill_and_restart();
    mailbox.send(&Message::inform().to("carl").content("still here")).wait().expect("it exists");
    let message = carl.mail().wait().expect("it may").receive().wait().expect("the session continues");
    assert_eq!(message.sender_name(), Some("bob~find-goals"));
}

#[test]
fn no_agent_gets_a_message_that_is_not_kept() {
    let mut command = Command::new("bash");
    // No file can have more than 256 KiB, as on a disk that is full then.
    command.args(["-c", "trap '' XFSZ; ulimit -S -f 256; exec \"$0\" \"$@\"", SITUATED]);
    let server = Kept::start_by(command, "find-goals", "full_mail", 0);
    let (ada, bob) = (open(&server, "ada"), open(&server, "bob"));
    let mut accepted = 0;
    let content = "x".repeat(4096);
    while ada.send(&Message::inform().to("bob").content(format!("{accepted} {content}"))).wait().is_ok() {
        accepted += 1;
        assert!(accepted < 10_000, "256 KiB do not suffice");
    }
    assert!(accepted > 0, "there is room for some");

    let is_received = Arc::new(AtomicBool::new(false));
    let noted = is_received.clone();
    let wanted = accepted;
    let receiving = thread::spawn(move || {
        let mut mail = bob.mail().wait().expect("calls that only read are answered");
        (0..wanted).for_each(|number| {
            let message = mail.receive().wait().expect("it is connected");
            noted.store(true, Ordering::SeqCst);
            assert!(text(&message).starts_with(&format!("{number} ")), "{number}");
        });
    });
    sleep(Duration::from_secs(1));
    assert!(!is_received.load(Ordering::SeqCst), "the disk is full");
    let unlimited =
        Command::new("prlimit").args(["--fsize=unlimited", "--pid", &server.child.id().to_string()]).status();
    assert!(unlimited.expect("there is `prlimit`").success());
    receiving.join().expect("it gets all messages once they can be kept");
}

#[test]
fn services_are_found_after_a_restart_until_their_agent_leaves() {
    let mut server = Kept::start("find-goals --grace 60", "services");
    let (ada, bob) = (open(&server, "ada"), open(&server, "bob"));
    let mut told = bob.mail().wait().expect("it may");
    let ask = |mailbox: &Mailbox, message: Message<'static>, function: &str| {
        let message = message.to("df").language("fipa-sl0").content(function.to_owned());
        mailbox.send(&message).wait().expect("the directory exists");
    };
    let template = "(df-agent-description :services (set (service-description :type trade)))";
    let search =
        format!("(action (agent-identifier :name df) (search {template} (search-constraints :max-results -1)))");
    ask(
        &ada,
        Message::request(),
        "((action (agent-identifier :name df) (register (df-agent-description :name (agent-identifier :name ada)
            :services (set (service-description :name plums :type trade))))))",
    );
    let registered = ada.mail().wait().expect("it may").receive().wait().expect("it is answered");
    assert!(text(&registered).starts_with("((done "), "{}", text(&registered));
    server.kill_and_restart();

    ask(&bob, Message::request(), &format!("({search})"));
    let found = text(&told.receive().wait().expect("the session continues"));
    assert!(found.contains("(sequence (df-agent-description :name (agent-identifier :name ada)"), "{found}");
    ask(&bob, Message::subscribe().conversation_id("c1"), &format!("((iota ?x (result {search} ?x)))"));
    let acts = [(); 2].map(|()| told.receive().wait().expect("it is answered").performative);
    assert_eq!(acts, [Performative::Agree, Performative::Inform]);
    // The subscription survives, too.
    server.kill_and_restart();
    assert_eq!(ada.directory().agents().wait(), Ok(vec!["ada".into(), "bob".into()]));

    ada.close().wait().expect("it is open");
    let left = text(&told.receive().wait().expect("it is told"));
    assert!(left.ends_with("(sequence (df-agent-description :name (agent-identifier :name ada)))))"), "{left}");
    ask(&bob, Message::request(), &format!("({search})"));
    let found = text(&told.receive().wait().expect("it is answered"));
    assert!(found.ends_with("(sequence)))"), "{found}");
}

#[test]
fn messages_to_another_server_survive_kills_of_both() {
    let [market, farm] = free_ports();
    let start = |name: &str, port: u16, peer: &str, other: u16| {
        let secrets = format!("secrets-of-{name}");
        let platforms = options_of_platform(&secrets, name, &[(peer, other, "a-secret-of-two-servers")]);
        Kept::start_at(port, &format!("find-goals --grace 60 {platforms}"), name)
    };
    let mut servers = [start("market", market, "farm", farm), start("farm", farm, "market", market)];
    let (ada, bob) = (open(&servers[0], "ada"), open(&servers[1], "bob"));
    let mut to_bob = bob.mail().wait().expect("it may");
    let mut received = Vec::new();
    for round in 0..10 {
        for number in 0..50 {
            let content = (round * 50 + number).to_string();
            ada.send(&Message::inform().to("bob@farm").content(content)).wait().expect("there is room");
            if number == 10 + round * 3 {
                servers[round % 2].kill_and_restart();
            }
        }
        while received.len() < round * 50 + 25 {
            received.push(text(&to_bob.receive().wait().expect("the session continues")));
        }
    }
    while received.len() < 500 {
        received.push(text(&to_bob.receive().wait().expect("the session continues")));
    }
    assert_eq!(received, (0..500).map(|number| number.to_string()).collect::<Vec<_>>());
    bob.send(&Message::inform().to("bob").content("the last")).wait().expect("there is room");
    assert_eq!(text(&to_bob.receive().wait().expect("the session continues")), "the last", "nothing came twice");
}

#[test]
fn observers_see_messages_again_after_the_server_is_killed() {
    let mut server = Kept::start("find-goals --grace 60", "watched");
    let ada = open(&server, "ada");
    let client = Client::connect(&format!("tcp://{}", server.address)).role(Role::Platform).wait();
    let topic =
        Topic::Conversations(ConversationFilter { agent: None, protocol: None, conversation: Some("c1".into()) });
    let mut watch = client.expect("it listens").subscribe::<Conversations>(topic).wait().expect("it may");
    let mut numbers = Vec::new();
    for content in ["before", "after", "after the second kill"] {
        ada.send(&Message::inform().to("ada").content("of another conversation")).wait().expect("it is accepted");
        ada.send(&Message::inform().to("ada").conversation_id("c1").content(content)).wait().expect("it is accepted");
        let told = watch.receive().wait().expect("the session continues");
        for seen in told.messages {
            assert_eq!(text(&Message::try_from(seen.message).expect("it is a message")), content);
            numbers.push(seen.number);
        }
        server.kill_and_restart();
    }
    assert_eq!(numbers.len(), 3);
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
}

//! Messages between agents, over connections that are cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use situated_acl::{Message, Performative};
use situated_client::directory::{Description, Service, changes};
use situated_client::{Agent, Client, Error, Mail, Mailbox};
use situated_wire::Code;
use situated_wire::methods::Role;

use crate::server::{FIND_GOALS, TestServer};
use crate::wire_cutter::WireCutter;

/// Number of messages of each sender.
const MESSAGES: usize = 400;

fn platform(address: &str) -> Client {
    Client::connect(address).role(Role::Platform).patience(Duration::from_secs(10)).wait().expect("the server listens")
}

fn text(message: &Message<'_>) -> String {
    message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default().to_owned()
}

/// Sends a message again until its mailbox has room.
fn insist(send: impl Fn() -> Result<(), Error>) {
    loop {
        match send() {
            Ok(()) => return,
            Err(Error::Refused(error)) if error.code() == Some(Code::Limit) => thread::sleep(Duration::from_millis(1)),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn agents_in_an_environment_and_in_none_write_to_each_other() {
    let server = TestServer::open(Duration::from_secs(5));
    let [websocket, tcp] = server.addresses();
    let (one, other) = (platform(&websocket), platform(&tcp));
    let ada: Agent = one.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
    let bob: Mailbox = other.open_mailbox("bob").wait().expect("the name is free");
    let (mut to_ada, mut to_bob) = (ada.mail().wait().expect("it may"), bob.mail().wait().expect("it may"));
    let question = Message::query_if().to("bob").to("ada").reply_with("q1").conversation_id("c1").content("ready?");
    ada.send(&question).wait().expect("both exist");
    let received: Message<'_> = to_bob.receive().wait().expect("it has arrived");
    assert_eq!(received, question.clone().from("ada"));
    assert_eq!(to_ada.receive().wait().expect("it has arrived"), received);
    bob.send(&received.reply(Performative::Inform).from("bob").content("yes")).wait().expect("ada exists");
    let answer = to_ada.receive().wait().expect("it has arrived");
    assert_eq!((answer.in_reply_to, answer.conversation_id), (question.reply_with, question.conversation_id));

    let Err(Error::Refused(refused)) = bob.send(&Message::inform().from("ada").to("ada")).wait() else {
        panic!("the sender is forged");
    };
    assert_eq!(refused.code(), Some(Code::Forbidden));
    bob.send(&Message::request().to("zoe").reply_with("r7")).wait().expect("it is accepted");
    let failure = to_bob.receive().wait().expect("it has arrived");
    assert_eq!((failure.performative, failure.sender_name()), (Performative::Failure, Some("ams")));
    assert_eq!(failure.in_reply_to, Some("r7".into()));
    for reserved in ["ams", "df"] {
        let Err(Error::Refused(refused)) = other.open_mailbox(reserved).wait() else {
            panic!("{reserved} is reserved")
        };
        assert_eq!(refused.code(), Some(Code::NotRegistrable));
    }
    // An agent that leaves gets nothing more, and its correspondent learns so.
    bob.close().wait().expect("it is open");
    ada.send(&Message::inform().to("bob").content("too late")).wait().expect("it is accepted");
    assert!(text(&to_ada.receive().wait().expect("it has arrived")).ends_with("not-registered)"));
    assert!(matches!(to_bob.receive().wait(), Err(Error::Refused(_))));
}

#[test]
fn agents_register_services_and_find_them() {
    let server = TestServer::open(Duration::from_secs(5));
    let client = platform(&server.addresses()[1]);
    let ada: Agent = client.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
    let bob = client.open_mailbox("bob").wait().expect("the name is free");
    let (market, of_bob) = (ada.directory(), bob.directory());
    let mut to_bob = bob.mail().wait().expect("it may");
    assert_eq!(of_bob.agents().wait(), Ok(vec!["ada".into(), "bob".into()]));

    let of_ada = |service: Service| Description { agent: Some("ada".into()), ..service.into() };
    let plums = Service::new("plums", "trade").property("price", 3);
    let seen = |told: Message<'static>| {
        assert_eq!(told.conversation_id, Some("traders".into()));
        changes(&told).expect("it is about changes")
    };
    let mut next_seen = || seen(to_bob.receive().wait().expect("it comes"));
    market.register(plums.clone()).wait().expect("it may");
    of_bob.subscribe("traders", Service::of_type("trade")).wait().expect("it may");
    assert_eq!(next_seen(), [of_ada(plums.clone())]);
    assert_eq!(of_bob.search(Service::of_type("trade")).wait(), Ok(vec![of_ada(plums)]));
    assert_eq!(of_bob.search(Service::of_type("gift")).wait(), Ok(vec![]));

    // The last registration counts.
    let lease = Some(Duration::from_secs(60));
    let peaches = Description { lease, ..Service::new("peaches", "trade").into() };
    market.register(peaches.clone()).wait().expect("it may");
    let peaches = Description { agent: Some("ada".into()), ..peaches };
    assert_eq!(next_seen(), vec![peaches.clone()]);
    assert_eq!(of_bob.search(Description::default()).wait(), Ok(vec![peaches]));
    for _ in 0..2 {
        market.deregister().wait().expect("it may");
    }
    assert_eq!(next_seen(), [Description { agent: Some("ada".into()), ..Description::default() }]);
    assert_eq!(of_bob.search(Service::of_type("trade")).wait(), Ok(vec![]));

    of_bob.cancel("traders").wait().expect("there is one");
    let Err(Error::Declined(declined)) = of_bob.cancel("traders").wait() else { panic!("there is none any more") };
    assert_eq!(
        declined.to_string(),
        "the directory answers `failure`: (internal-error \"there is no such subscription\")"
    );
    let Err(Error::Refused(refused)) = of_bob.ask(&Message::request().to("ada")).wait() else {
        panic!("ada is no directory")
    };
    assert_eq!(refused.code(), Some(Code::InvalidParameters));
    market.register(Service::of_type("trade")).wait().expect("it may");
    ada.unregister().wait().expect("it is registered");
    assert_eq!(of_bob.search(Service::of_type("trade")).wait(), Ok(vec![]));
    bob.send(&Message::inform().to("bob").content("the last")).wait().expect("there is room");
    let last = to_bob.receive().wait().expect("it has arrived");
    assert_eq!(text(&last), "the last", "nothing more comes from the subscription");
}

#[test]
fn messages_for_an_agent_that_does_not_listen_wait() {
    let server = TestServer::open(Duration::from_secs(5));
    let client = platform(&server.addresses()[1]);
    let (ada, bob) = (client.open_mailbox("ada").wait(), client.open_mailbox("bob").wait());
    let (ada, bob) = (ada.expect("the name is free"), bob.expect("the name is free"));
    let contents: Vec<String> = (0..600).map(|number| number.to_string()).collect();
    for content in &contents {
        ada.send(&Message::inform().to("bob").content(content.as_str())).wait().expect("there is room");
    }
    let take = |mail: &mut Mail| text(&mail.receive().wait().expect("it has arrived"));
    let mut mail = bob.mail().wait().expect("it may");
    let mut received: Vec<String> = (0..250).map(|_| take(&mut mail)).collect();
    drop(mail);
    let mut mail = bob.mail().wait().expect("it may");
    received.extend((250..600).map(|_| take(&mut mail)));
    assert_eq!(received, contents);
}

#[test]
fn lost_connections_lose_and_repeat_no_message() {
    let server = TestServer::open(Duration::from_secs(10));
    let cutters = [WireCutter::before(server.address), WireCutter::before(server.address)];
    let clients =
        [platform(&format!("tcp://{}", cutters[0].address)), platform(&format!("ws://{}", cutters[1].address))];
    let names = ["ada", "bob", "cleo", "dan"];
    let boxes: Vec<Arc<Mailbox>> = names
        .iter()
        .enumerate()
        .map(|(number, name)| Arc::new(clients[number % 2].open_mailbox(name).wait().expect("the name is free")))
        .collect();
    let is_over = Arc::new(AtomicBool::new(false));
    let cutting = {
        let is_over = is_over.clone();
        thread::spawn(move || {
            let mut cuts = 0;
            while !is_over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(15 + 7 * (cuts % 5)));
                cutters[cuts as usize % 2].cut();
                cuts += 1;
            }
            cuts
        })
    };
    let receiving: Vec<_> = boxes
        .iter()
        .map(|mailbox| {
            let mut mail = mailbox.mail().wait().expect("it may");
            thread::spawn(move || {
                let mut received = vec![Vec::new(); names.len()];
                for _ in 0..names.len() * MESSAGES {
                    let message = mail.receive().wait().expect("the session continues");
                    let sender = names.iter().position(|name| message.sender_name() == Some(name)).expect("an agent");
                    received[sender].push(text(&message));
                }
                received
            })
        })
        .collect();
    let sending: Vec<_> = boxes
        .iter()
        .cloned()
        .map(|mailbox| {
            thread::spawn(move || {
                for number in 0..MESSAGES {
                    // One message for all, or one for each.
                    let content = number.to_string();
                    let to_all = names.iter().fold(Message::inform(), |message, name| message.to(*name));
                    if number % 3 == 0 {
                        insist(|| mailbox.send(&to_all.clone().content(content.as_str())).wait());
                    } else {
                        for name in names {
                            insist(|| mailbox.send(&Message::inform().to(name).content(content.as_str())).wait());
                        }
                    }
                }
            })
        })
        .collect();
    sending.into_iter().for_each(|one| one.join().expect("no panic"));
    let wanted: Vec<String> = (0..MESSAGES).map(|number| number.to_string()).collect();
    for (receiver, received) in receiving.into_iter().enumerate() {
        for (sender, contents) in received.join().expect("no panic").into_iter().enumerate() {
            assert_eq!(contents, wanted, "{} to {}", names[sender], names[receiver]);
        }
    }
    is_over.store(true, Ordering::Relaxed);
    let cuts = cutting.join().expect("no panic");
    assert!(cuts > 10, "{cuts} cuts");
}

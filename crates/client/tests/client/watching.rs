//! Observers watch the conversations of agents, and learn which messages break the rules of their protocols.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use situated_acl::{Message, Performative, Protocol};
use situated_client::directory::Service;
use situated_client::{Client, Error, Subscription};
use situated_recording::{Entry, RecorderSettings, Recording};
use situated_server::{Access, Right, Settings, Token};
use situated_wire::Code;
use situated_wire::methods::{ConversationFilter, Role, Topic};
use situated_wire::notifications::{Conversations, MessageSeen};

use crate::server::{FIND_GOALS, TestServer};

const EVERYTHING: Topic = Topic::Conversations(ConversationFilter { agent: None, protocol: None, conversation: None });

fn platform(server: &TestServer) -> Client {
    Client::connect(&server.addresses()[1]).role(Role::Platform).wait().expect("the server listens")
}

/// A message in brief: its sender, its act, its conversation, and whether it breaks a rule.
type Brief = (String, Performative, String, bool);

fn brief(seen: &MessageSeen) -> Brief {
    let message = Message::try_from(seen.message.clone()).expect("it is a message");
    let conversation = message.conversation_id.as_ref().and_then(|id| id.as_text()).unwrap_or_default().to_owned();
    let sender = message.sender_name().unwrap_or_default().to_owned();
    (sender, message.performative, conversation, !seen.violations.is_empty())
}

/// Takes this number of messages.
fn take(watch: &mut Subscription<Conversations>, count: usize) -> Vec<MessageSeen> {
    let mut seen: Vec<MessageSeen> = Vec::new();
    while seen.len() < count {
        let Conversations { messages, lost, .. } = watch.receive().wait().expect("it comes");
        assert_eq!(lost, 0);
        seen.extend(messages);
    }
    assert!(seen.is_sorted_by(|one, next| one.number < next.number));
    seen
}

fn metric(server: &TestServer, name: &str) -> u64 {
    let mut stream = TcpStream::connect(server.address).expect("the server listens");
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("it is sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers");
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name} in {text}"));
    line.trim().parse().expect("a number")
}

#[test]
fn observers_see_all_messages_and_the_rules_that_they_break() {
    let server = TestServer::open(Duration::from_secs(5));
    let client = platform(&server);
    let [ada, bob] = ["ada", "bob"].map(|name| client.open_mailbox(name).wait().expect("the name is free"));
    let cfp = Message::cfp().from("ada").to("bob").to("nobody").protocol(Protocol::ContractNet).conversation_id("c1");
    ada.send(&cfp).wait().expect("bob exists");
    let mut watch: Subscription<Conversations> = client.subscribe(EVERYTHING).wait().expect("it may");
    let wanted =
        |sender: &str, act, conversation: &str, breaks: bool| (sender.to_owned(), act, conversation.to_owned(), breaks);
    // It begins with earlier messages. The report that a receiver does not exist breaks no rule.
    let earlier: Vec<Brief> = take(&mut watch, 2).iter().map(brief).collect();
    assert_eq!(
        earlier,
        [wanted("ada", Performative::Cfp, "c1", false), wanted("ams", Performative::Failure, "c1", false)]
    );

    bob.send(&cfp.reply(Performative::Propose).from("bob")).wait().expect("ada exists");
    bob.send(&cfp.reply(Performative::Inform).from("bob")).wait().expect("the server delivers it");
    bob.send(&Message::inform().to("ada").content("no protocol")).wait().expect("ada exists");
    let seen = take(&mut watch, 3);
    assert_eq!(
        seen.iter().map(brief).collect::<Vec<_>>(),
        [
            wanted("bob", Performative::Propose, "c1", false),
            wanted("bob", Performative::Inform, "c1", true),
            wanted("bob", Performative::Inform, "", false),
        ]
    );
    let violation =
        "`bob` in conversation `c1`: fipa-contract-net, Proposed: `inform` by the participant is out of sequence";
    assert!(seen[1].violations[0].starts_with(violation), "{:?}", seen[1].violations);
    assert_eq!(metric(&server, "situated_protocol_violations_total"), 1);
    assert_eq!(metric(&server, "situated_messages_total"), 5);

    // Each filter selects.
    let filtered = |agent: Option<&str>, protocol: Option<&str>, conversation: Option<&str>| {
        let topic = Topic::Conversations(ConversationFilter {
            agent: agent.map(Into::into),
            protocol: protocol.map(Into::into),
            conversation: conversation.map(Into::into),
        });
        client.subscribe::<Conversations>(topic).wait().expect("it may")
    };
    assert_eq!(take(&mut filtered(Some("nobody"), None, None), 1).len(), 1);
    assert_eq!(take(&mut filtered(None, Some("FIPA-Contract-Net"), None), 4).len(), 4);
    assert_eq!(take(&mut filtered(Some("bob"), None, Some("c1")), 3).len(), 3);
    let Err(Error::Refused(refused)) = client
        .subscribe::<Conversations>(Topic::Conversations(ConversationFilter {
            agent: None,
            protocol: None,
            conversation: Some("c".repeat(1025)),
        }))
        .wait()
    else {
        panic!("it is too long")
    };
    assert_eq!(refused.code(), Some(Code::Limit));
}

#[test]
fn the_directory_follows_the_protocols() {
    let server = TestServer::open(Duration::from_secs(5));
    let client = platform(&server);
    let [ada, bob] = ["ada", "bob"].map(|name| client.open_mailbox(name).wait().expect("the name is free"));
    let mut watch: Subscription<Conversations> = client
        .subscribe(Topic::Conversations(ConversationFilter {
            agent: Some("df".into()),
            protocol: None,
            conversation: None,
        }))
        .wait()
        .expect("it may");
    bob.directory().subscribe("traders", Service::of_type("trade")).wait().expect("it may");
    ada.directory().register(Service::new("plums", "trade")).wait().expect("it may");
    assert_eq!(bob.directory().search(Service::of_type("trade")).wait().map(|found| found.len()), Ok(1));
    ada.directory().deregister().wait().expect("it may");
    bob.directory().cancel("traders").wait().expect("there is one");
    // Each call and its answer, and two notifications.
    let seen = take(&mut watch, 12);
    let violations: Vec<_> = seen.iter().flat_map(|seen| &seen.violations).collect();
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn conversations_need_the_right_to_observe() {
    let token = |name: &str| Token::new(format!("a token for the right {name}")).expect("it is long enough");
    let access = Access::open().with_token(token("act"), Right::Act).with_token(token("observe"), Right::Observe);
    let server = TestServer::with(Settings { access, ..Settings::default() });
    let subscribe = |role, right: &str| {
        let token = format!("a token for the right {right}");
        let client = Client::connect(&server.addresses()[1]).role(role).token(&token).wait().expect("it may connect");
        client.subscribe::<Conversations>(EVERYTHING).wait().map(drop)
    };
    assert_eq!(subscribe(Role::Observer, "observe"), Ok(()));
    let Err(Error::Refused(refused)) = subscribe(Role::Platform, "act") else { panic!("it may not") };
    assert_eq!(refused.code(), Some(Code::Forbidden));
}

#[test]
fn a_recording_has_the_messages_of_agents_in_its_environment() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded messages");
    // It is there if the test has run before.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("there is room");
    let server = TestServer::with(Settings {
        record: Some((folder.clone(), RecorderSettings::default())),
        ..Settings::default()
    });
    let client = platform(&server);
    let ada = client.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
    let [bob, cleo] = ["bob", "cleo"].map(|name| client.open_mailbox(name).wait().expect("the name is free"));
    bob.send(&Message::inform().to("cleo").content("not about find-goals")).wait().expect("cleo exists");
    bob.send(&Message::inform().to("cleo").to("ada").content("one")).wait().expect("both exist");
    ada.send(&Message::inform().to("bob").content("two")).wait().expect("bob exists");
    cleo.send(&Message::inform().to("nobody").content("not about find-goals")).wait().expect("it is accepted");
    drop(server);
    let file = fs::read_dir(&folder).expect("it exists").next().expect("it has a file").expect("it can be read").path();
    let mut recording = Recording::open(&file).expect("it is one");
    let contents: Vec<String> = recording
        .entries()
        .expect("it can be read")
        .filter_map(|recorded| match recorded.expect("it is whole").entry {
            Entry::Message(sent) => Some(Message::try_from(*sent.message).expect("it is one")),
            _ => None,
        })
        .map(|message| message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(contents, ["one", "two"]);
}

//! Observers watch the conversations of agents, and learn which messages break the rules of their protocols.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use situated_acl::{Message, Performative, Protocol};
use situated_client::directory::Service;
use situated_client::{Client, Error, Subscription};
use situated_recording::{Entry, RecorderSettings, Recording};
use situated_server::{Access, Right, Settings, Token};
use situated_wire::Code;
use situated_wire::methods::{ConversationFilter, CreateEnvironment, Role, Topic};
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
    let sent = recorded(&folder, FIND_GOALS);
    assert_eq!(sent.iter().map(|[_, _, content]| content).collect::<Vec<_>>(), ["one", "two"]);
}

/// The messages in the recording of an environment in a folder: their senders, receivers and contents.
fn recorded(folder: &Path, environment: &str) -> Vec<[String; 3]> {
    let files = fs::read_dir(folder).expect("it exists").map(|file| file.expect("it can be read").path());
    let name = |file: &PathBuf| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file =
        files.into_iter().find(|file| name(file).starts_with(&format!("{environment}-"))).expect("it is recorded");
    let mut recording = Recording::open(&file).expect("it is one");
    let entries = recording.entries().expect("it can be read");
    let messages = entries.filter_map(|recorded| match recorded.expect("it is whole").entry {
        Entry::Message(sent) => Some(Message::try_from(*sent.message).expect("it is one")),
        _ => None,
    });
    let in_brief = messages.map(|message| {
        let receivers: Vec<&str> = message.receivers.iter().map(|receiver| &*receiver.name).collect();
        let content = message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default();
        [message.sender_name().unwrap_or_default().to_owned(), receivers.join(" "), content.to_owned()]
    });
    in_brief.collect()
}

#[test]
fn observers_and_recordings_tell_agents_of_one_name_apart() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded namesakes");
    // It is there if the test has run before.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("there is room");
    let record = Some((folder.clone(), RecorderSettings::default()));
    let server = TestServer::with(Settings { record, ..Settings::default() });
    let [one, two] = [platform(&server), platform(&server)];
    let games = ["game-1", "game-2"].map(|name| {
        let game = CreateEnvironment { environment: Some(name.into()), ..CreateEnvironment::new(FIND_GOALS) };
        one.create(game).wait().expect("the name is free");
        name
    });
    let [[ada, bob], [other_ada, other_bob]] = [(&one, games[0]), (&two, games[1])].map(|(client, game)| {
        ["ada", "bob"].map(|name| client.environment(game).register(name).wait().expect("the name is free"))
    });
    assert_eq!(
        [&ada, &bob, &other_ada, &other_bob].map(|agent| agent.address()),
        ["ada", "bob", "ada~game-2", "bob~game-2"]
    );
    let mut watch: Subscription<Conversations> = one.subscribe(EVERYTHING).wait().expect("it may");
    for (agent, conversation) in [(&ada, "first"), (&other_ada, "second")] {
        let cfp = Message::cfp().to("bob").protocol(Protocol::ContractNet).conversation_id("c1").content(conversation);
        agent.send(&cfp).wait().expect("there is one");
    }
    for agent in [&bob, &other_bob] {
        let cfp = agent.mail().wait().expect("it may").receive().wait().expect("it has come");
        assert_eq!(cfp.sender_name(), Some("ada"));
        agent.send(&cfp.reply(Performative::Propose).content("mine")).wait().expect("its sender exists");
    }
    ada.send(&Message::inform().to("bob~game-2").content("to the other")).wait().expect("it exists");
    // Both conversations have the same identifier, and none breaks a rule.
    let wanted = |sender: &str, act, conversation: &str| (sender.to_owned(), act, conversation.to_owned(), false);
    assert_eq!(
        take(&mut watch, 5).iter().map(brief).collect::<Vec<_>>(),
        [
            wanted("ada", Performative::Cfp, "c1"),
            wanted("ada~game-2", Performative::Cfp, "c1"),
            wanted("bob", Performative::Propose, "c1"),
            wanted("bob~game-2", Performative::Propose, "c1"),
            wanted("ada", Performative::Inform, ""),
        ]
    );
    drop(server);
    assert_eq!(
        recorded(&folder, games[0]),
        [["ada", "bob", "first"], ["bob", "ada", "mine"], ["ada", "bob~game-2", "to the other"]]
    );
    assert_eq!(
        recorded(&folder, games[1]),
        [["ada", "bob", "second"], ["bob", "ada", "mine"], ["ada~game-1", "bob", "to the other"]]
    );
}

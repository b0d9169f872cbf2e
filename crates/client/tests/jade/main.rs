//! Messages between a server and the real JADE, over its transport. JADE is not part of this project: `./test` downloads it, and
//! passes its location in `JADE_CLASSPATH`.

#[path = "../../../acl/tests/acl/arrived.rs"]
mod arrived;
mod platform;
#[path = "../client/server.rs"]
#[allow(dead_code)]
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use situated_acl::{AgentIdentifier, Message, Performative, Time, Word};
use situated_client::directory::Service;
use situated_client::{Client, Mail, Mailbox};
use situated_server::{PeerPlatform, PlatformSettings, Proof, Settings};
use situated_wire::methods::Role;

use crate::platform::{Jade, compile};
use crate::server::TestServer;

/// Number of messages each way.
const MESSAGES: usize = 1000;

/// Maximum time until a message arrives.
const PATIENCE: Duration = Duration::from_secs(30);

/// An agent of the server.
struct Correspondent {
    mailbox: Mailbox,
    mail: Mail,
    _client: Client,
}

impl Correspondent {
    fn open(server: &TestServer, name: &str) -> Self {
        let client = Client::connect(&server.addresses()[1]).role(Role::Platform).wait().expect("the server listens");
        let mailbox = client.open_mailbox(name).wait().expect("the name is free");
        let mail = mailbox.mail().wait().expect("it may");
        Self { mailbox, mail, _client: client }
    }

    fn send(&self, message: &Message<'_>) {
        self.mailbox.send(message).wait().expect("there is room");
    }

    fn receive(&mut self) -> Message<'static> {
        let received = async { tokio::time::timeout(PATIENCE, self.mail.receive()).await };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("it can be built");
        runtime.block_on(received).expect("it arrives in time").expect("it arrives")
    }
}

fn text(message: &Message<'_>) -> String {
    message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default().to_owned()
}

#[test]
#[ignore = "needs Java and JADE; ./test fetches JADE and runs it"]
fn agents_and_agents_of_jade_write_to_each_other() {
    let listeners = [(); 3].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there are free ports"));
    let [market, container, farm] = listeners.map(|listener| listener.local_addr().expect("it listens").port());
    let jade = PeerPlatform {
        name: "farm".into(),
        address: format!("http://127.0.0.1:{farm}/acc"),
        form: "jade".parse().expect("it is a form"),
        proof: Proof::Address,
        registers: false,
    };
    let platform =
        Some(PlatformSettings { name: "market".into(), address: None, peers: vec![jade], peer_certificates: None });
    let address = (Ipv4Addr::LOCALHOST, market).into();
    let server = TestServer::at(Settings { address, platform, ..Settings::default() });
    let mut ada = Correspondent::open(&server, "ada");
    let classpath = std::env::var_os("JADE_CLASSPATH").expect("JADE_CLASSPATH says where JADE lies");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jade");
    let classpath = compile(&classpath, concat!(env!("CARGO_MANIFEST_DIR"), "/tests/jade/Trader.java"), &folder);
    let _jade = Jade::start(&classpath, &folder, "farm", [container, farm], "bob:Trader;cleo:Trader");
    finds_a_service(&mut ada);
    concludes_a_contract(&mut ada);
    is_subscribed_to(&mut ada, &server);
    messages_return_unchanged(&mut ada);
}

/// Searches the directory of JADE until its agents have registered.
fn finds_a_service(ada: &mut Correspondent) {
    let search = "((action (agent-identifier :name df@farm) (search (df-agent-description :services \
        (set (service-description :type fruit))) (search-constraints :max-results -1))))";
    let search =
        Message::request().to("df@farm").language("fipa-sl0").ontology("FIPA-Agent-Management").content(search);
    let search = search.protocol(Word::new("fipa-request").expect("a word")).conversation_id("c1");
    for _ in 0..200 {
        ada.send(&search.clone().reply_with("r1"));
        let found = ada.receive();
        assert_eq!((found.sender_name(), &found.in_reply_to), (Some("df@farm"), &Some("r1".into())), "{found:?}");
        assert_eq!(found.performative, Performative::Inform, "{}", text(&found));
        if text(&found).matches(":name plums").count() == 2 {
            assert!(text(&found).contains(":name bob@farm"), "{}", text(&found));
            // The directory of this server finds them, too.
            let found = ada.mailbox.directory().search_federated(Service::of_type("fruit"), 1).wait().expect("it may");
            let names: BTreeSet<_> = found.iter().filter_map(|one| one.agent.as_deref()).collect();
            assert_eq!(names, BTreeSet::from(["bob@farm", "cleo@farm"]));
            return;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("the agents of JADE do not register");
}

/// JADE's own behaviour for contract nets answers.
fn concludes_a_contract(ada: &mut Correspondent) {
    let call = Message::cfp().to("bob@farm").protocol(Word::new("fipa-contract-net").expect("a word"));
    ada.send(&call.conversation_id("c2").reply_with("r2").content("plums"));
    let proposal = ada.receive();
    assert_eq!((proposal.performative, proposal.sender_name()), (Performative::Propose, Some("bob@farm")));
    assert_eq!((text(&proposal).as_str(), &proposal.in_reply_to), ("12", &Some("r2".into())));
    let accepted = proposal.reply(Performative::AcceptProposal).from("ada").reply_with("r3").content("12");
    ada.send(&accepted);
    let delivered = ada.receive();
    assert_eq!((delivered.performative, text(&delivered).as_str()), (Performative::Inform, "delivered"));
    assert_eq!(delivered.in_reply_to, Some("r3".into()));
}

/// An agent of JADE subscribes to the directory of the server, by JADE's own message.
fn is_subscribed_to(ada: &mut Correspondent, server: &TestServer) {
    ada.send(&Message::inform().to("bob@farm").conversation_id("watch").content("market"));
    let agreed = ada.receive();
    assert_eq!((agreed.performative, &agreed.conversation_id), (Performative::Agree, &Some("passed-on".into())));
    let dan = Correspondent::open(server, "dan");
    dan.mailbox.directory().register(Service::new("advice", "gift")).wait().expect("it may");
    let told = ada.receive();
    assert_eq!(told.performative, Performative::Inform);
    let name = format!(":name dan@market :addresses (sequence http://{}/acc)", server.address);
    assert!(text(&told).contains(&name) && text(&told).contains("advice"), "{}", text(&told));
    dan.mailbox.close().wait().expect("it is open");
    let told = text(&ada.receive());
    assert!(told.contains(&name) && !told.contains("advice"), "{told}");
}

/// Ordinary messages: words, texts, several receivers, all parameters.
fn message(number: usize) -> Message<'static> {
    let texts =
        ["word", "two words", "say \"hi\"", "(a (b) c)", "line\nand\tline", "plüms & <peaches>", "c:\\x", "2030-01-01"];
    let next = |step: usize| texts[number / step % texts.len()];
    let acts = [Performative::Inform, Performative::Request, Performative::QueryRef, Performative::Propose];
    let message = Message::new(acts[number % acts.len()]).to("bob@farm").conversation_id("echo");
    let mut message = message.content(format!("{number} {}", next(1))).reply_with(format!("{} {number}", next(2)));
    if number.is_multiple_of(3) {
        message = message.to("cleo@farm");
    }
    if number.is_multiple_of(2) {
        message = message.language(next(3)).ontology(next(4)).in_reply_to(next(5));
        message = message.protocol(Word::new("fipa-query").expect("a word"));
    }
    if number.is_multiple_of(5) {
        message = message.encoding(next(6)).reply_by(Time::at(1_900_000_000_000 + number as i64));
        message = message.user_parameter(Word::new("X-level").expect("a word"), next(7));
    }
    message
}

fn messages_return_unchanged(ada: &mut Correspondent) {
    let mut awaited = BTreeMap::new();
    for number in 0..MESSAGES {
        let message = message(number);
        for receiver in &message.receivers {
            awaited.insert((receiver.name.to_string(), text(&message)), message.clone());
        }
        ada.send(&message);
    }
    while !awaited.is_empty() {
        let returned = ada.receive();
        let sender = returned.sender_name().expect("it has one").to_owned();
        let sent = awaited.remove(&(sender, text(&returned))).unwrap_or_else(|| panic!("unexpected: {returned:?}"));
        let names = |agents: &[AgentIdentifier<'_>]| agents.iter().map(|one| one.name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(&returned.receivers), ["ada@market"]);
        assert_eq!(names(&returned.reply_to), names(&sent.receivers));
        let others =
            |message: Message<'static>| Message { sender: None, receivers: vec![], reply_to: vec![], ..message };
        assert_eq!(others(arrived::arrived(&returned)), others(arrived::arrived(&sent)));
    }
}

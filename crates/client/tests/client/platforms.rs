//! Messages between servers, each of which is a platform.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use situated_acl::{Message, Performative, Protocol};
use situated_client::directory::{Description, Service};
use situated_client::{Client, Error, Mail, Mailbox};
use situated_server::{PeerPlatform, PlatformSettings, Proof, Settings, Token};
use situated_wire::Code;
use situated_wire::methods::{ConversationFilter, CreateEnvironment, Role, Topic};
use situated_wire::notifications::Conversations;

use crate::server::{FIND_GOALS, TestServer};

/// Number of messages each way, in each form.
const MESSAGES: usize = 300;

/// Free ports.
pub(crate) fn ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there are free ports"));
    listeners.map(|listener| listener.local_addr().expect("it listens").port())
}

/// The secret of two platforms. It is the same on both sides.
pub(crate) fn secret(one: &str, other: &str) -> String {
    let [first, second] = if one < other { [one, other] } else { [other, one] };
    format!("the-secret-of-{first}-and-{second}")
}

pub(crate) fn settings(name: &str, port: u16, peers: &[(&str, u16, &str)]) -> Settings {
    let peer = |(peer, port, form): &(&str, u16, &str)| PeerPlatform {
        name: (*peer).into(),
        address: format!("http://127.0.0.1:{port}/acc"),
        form: form.parse().expect("it is a form"),
        proof: Proof::Secret(Token::new(secret(name, peer)).expect("long enough")),
        registers: false,
    };
    let peers = peers.iter().map(peer).collect();
    let platform = PlatformSettings { name: name.into(), address: None, peers, peer_certificates: None };
    Settings { address: (Ipv4Addr::LOCALHOST, port).into(), platform: Some(platform), ..Settings::default() }
}

pub(crate) fn agent(server: &TestServer, name: &str) -> (Client, Mailbox, Mail) {
    let client = Client::connect(&server.addresses()[1]).role(Role::Platform).wait().expect("the server listens");
    let mailbox = client.open_mailbox(name).wait().expect("the name is free");
    let mail = mailbox.mail().wait().expect("it may");
    (client, mailbox, mail)
}

pub(crate) fn text(message: &Message<'_>) -> String {
    message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default().to_owned()
}

pub(crate) fn receive(mail: &mut Mail) -> Message<'static> {
    mail.receive().wait().expect("it arrives")
}

#[test]
fn agents_of_two_servers_write_to_each_other_in_each_form() {
    for form in ["string", "xml", "bit-efficient", "jade"] {
        let [market, farm] = ports();
        let servers = [
            TestServer::at(settings("market", market, &[("farm", farm, form)])),
            TestServer::at(settings("farm", farm, &[("market", market, form)])),
        ];
        let (_one, ada, mut to_ada) = agent(&servers[0], "ada");
        let (_other, bob, mut to_bob) = agent(&servers[1], "bob");
        let (_third, _cleo, mut to_cleo) = agent(&servers[1], "cleo");
        let call = Message::cfp().to("bob@farm").to("cleo@farm").to("ada").reply_to("ada").conversation_id("c1");
        let call = call.reply_with("r 1").content("<plums & \"peaches\">").language("XML");
        ada.send(&call).wait().expect("it is accepted");
        let received = receive(&mut to_bob);
        assert_eq!(received.sender_name(), Some("ada@market"));
        assert_eq!(received.sender.as_ref().map(|ada| ada.addresses.len()), Some(1));
        let named: Vec<&str> = received.receivers.iter().map(|one| &*one.name).collect();
        assert_eq!(named, ["bob@farm", "cleo@farm", "ada@market"], "{form}");
        assert_eq!((received.content.clone(), received.reply_with.clone()), (call.content, Some("r 1".into())));
        assert_eq!(receive(&mut to_cleo), received, "each receiver gets the same");
        assert_eq!(receive(&mut to_ada).sender_name(), Some("ada"));
        bob.send(&received.reply(Performative::Propose).from("bob").content("12")).wait().expect("it is accepted");
        let answer = receive(&mut to_ada);
        assert_eq!((answer.sender_name(), &answer.in_reply_to), (Some("bob@farm"), &Some("r 1".into())));

        for number in 0..MESSAGES {
            ada.send(&Message::inform().to("bob@farm").content(number.to_string())).wait().expect("there is room");
            bob.send(&Message::inform().to("ada@market").content(number.to_string())).wait().expect("there is room");
        }
        for number in 0..MESSAGES {
            assert_eq!(text(&receive(&mut to_bob)), number.to_string(), "{form}");
            assert_eq!(text(&receive(&mut to_ada)), number.to_string(), "{form}");
        }
    }
}

#[test]
fn an_agent_whose_name_another_environment_has_is_known_by_its_address_elsewhere() {
    for form in ["string", "xml", "bit-efficient", "jade"] {
        let [market, farm] = ports();
        let servers = [
            TestServer::at(settings("market", market, &[("farm", farm, form)])),
            TestServer::at(settings("farm", farm, &[("market", market, form)])),
        ];
        let connect = || Client::connect(&servers[0].addresses()[1]).role(Role::Platform).wait().expect("it listens");
        let (first, second) = (connect(), connect());
        let _ada = first.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
        // The name of the environment must not look like that of a platform.
        let game = CreateEnvironment { environment: Some("game@farm".into()), ..CreateEnvironment::new(FIND_GOALS) };
        let ada =
            second.create(game).wait().expect("the name is free").register("ada").wait().expect("it is free there");
        let mut to_ada = ada.mail().wait().expect("it may");
        let (_other, bob, mut to_bob) = agent(&servers[1], "bob");
        ada.send(&Message::request().to("bob@farm").content("hello")).wait().expect("it is accepted");
        let request = receive(&mut to_bob);
        assert_eq!(request.sender_name(), Some("ada~game~1farm@market"), "{form}");
        bob.send(&request.reply(Performative::Agree).content("yes")).wait().expect("it is accepted");
        let answer = receive(&mut to_ada);
        assert_eq!((answer.sender_name(), text(&answer).as_str()), (Some("bob@farm"), "yes"), "{form}");
    }
}

#[test]
fn messages_of_a_server_that_begins_again_arrive() {
    let [market, farm] = ports();
    let farm = TestServer::at(settings("farm", farm, &[("market", market, "string")]));
    let (_client, _bob, mut to_bob) = agent(&farm, "bob");
    for beginning in 0..3 {
        let market = TestServer::at(settings("market", market, &[("farm", farm.address.port(), "string")]));
        let (_other, ada, _to_ada) = agent(&market, "ada");
        let contents: Vec<_> = (0..=beginning).map(|number| format!("{beginning}.{number}")).collect();
        for content in &contents {
            ada.send(&Message::inform().to("bob@farm").content(content.clone())).wait().expect("there is room");
        }
        for content in contents {
            assert_eq!(text(&receive(&mut to_bob)), content);
        }
    }
}

#[test]
fn messages_that_cannot_be_delivered_come_back() {
    let [market, farm] = ports();
    let market = TestServer::at(settings("market", market, &[("farm", farm, "string")]));
    let (_client, ada, mut to_ada) = agent(&market, "ada");
    // The other server does not run yet. The message waits.
    ada.send(&Message::request().to("zoe@farm").reply_with("r1")).wait().expect("it is accepted");
    let market_port = market.address.port();
    let farm = TestServer::at(settings("farm", farm, &[("market", market_port, "string")]));
    let failure = receive(&mut to_ada);
    assert_eq!((failure.performative, failure.sender_name()), (Performative::Failure, Some("ams@farm")));
    assert_eq!(failure.in_reply_to, Some("r1".into()));
    assert!(text(&failure).ends_with("not-registered)"), "{}", text(&failure));
    // A failure does not answer a failure.
    let (_other, bob, mut to_bob) = agent(&farm, "bob");
    bob.send(&Message::failure().to("nobody@market").content("x")).wait().expect("it is accepted");
    bob.send(&Message::request().to("nobody@market").content("y")).wait().expect("it is accepted");
    assert!(text(&receive(&mut to_bob)).contains("(request "), "only the request is answered");

    // A platform that is not listed does not exist.
    ada.send(&Message::request().to("zoe@elsewhere")).wait().expect("it is accepted");
    assert_eq!(receive(&mut to_ada).sender_name(), Some("ams"));
    // A name with `@` would be that of an agent on another platform.
    let Err(Error::Refused(refused)) = ada_as(&market, "bob@farm") else { panic!("it is foreign") };
    assert_eq!(refused.code(), Some(Code::NotRegistrable));
}

fn ada_as(server: &TestServer, name: &str) -> Result<(), Error> {
    let client = Client::connect(&server.addresses()[1]).role(Role::Platform).wait()?;
    client.open_mailbox(name).wait().map(drop)
}

#[test]
fn agents_ask_the_directory_of_another_server() {
    let [market, farm] = ports();
    let market = TestServer::at(settings("market", market, &[("farm", farm, "string")]));
    let farm = TestServer::at(settings("farm", farm, &[("market", market.address.port(), "string")]));
    let (_client, ada, mut to_ada) = agent(&market, "ada");
    let (_other, bob, _to_bob) = agent(&farm, "bob");
    bob.directory().register(Service::new("plums", "fruit")).wait().expect("it may");
    let search = "((action (agent-identifier :name df@farm) (search (df-agent-description :services \
        (set (service-description :type fruit))) (search-constraints :max-results -1))))";
    let search = Message::request().to("df@farm").language("fipa-sl0").content(search).reply_with("r1");
    ada.send(&search).wait().expect("it is accepted");
    let found = receive(&mut to_ada);
    assert_eq!((found.sender_name(), found.in_reply_to.clone()), (Some("df@farm"), Some("r1".into())));
    let bob = format!("(agent-identifier :name bob@farm :addresses (sequence http://{}/acc))", farm.address);
    assert!(text(&found).contains(&bob), "{}", text(&found));
}

/// The head of a request of the farm to the market, with this type of content.
pub(crate) fn head(content_type: &str) -> String {
    let secret = secret("farm", "market");
    format!("POST /acc HTTP/1.1\r\nAuthorization: Bearer {secret}\r\nContent-Type: {content_type}")
}

/// Sends a request as another platform would, and returns the status and the rest of the response.
pub(crate) fn post(address: SocketAddr, head: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it is open");
    let length = body.len();
    write!(stream, "{head}\r\nHost: {address}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
        .expect("open");
    let mut response = String::new();
    // A server may close before it has read everything.
    let _ = stream.read_to_string(&mut response);
    let status = response.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, response)
}

pub(crate) fn body(from: &str, sender: &str, receiver: &str) -> String {
    format!(
        "nothing\r\n--b\r\nContent-Type: application/xml\r\n\r\n<?xml version=\"1.0\"?>\n<envelope><params index=\"1\">\
         <to><agent-identifier><name>{receiver}</name></agent-identifier></to>\
         <from><agent-identifier><name>{from}</name></agent-identifier></from>\
         <acl-representation>fipa.acl.rep.string.std</acl-representation><date>20261120Z125737240</date>\
         <intended-receiver><agent-identifier><name>{receiver}</name></agent-identifier></intended-receiver>\
         </params></envelope>\r\n--b\r\nContent-Type: application/text\r\n\r\n\
         (INFORM :sender (agent-identifier :name {sender}) :receiver (set (agent-identifier :name {receiver})) \
         :content \"hello\")\r\n--b--\r\n\r\n"
    )
}

#[test]
fn only_listed_platforms_speak_and_only_for_their_own_agents() {
    let [market, farm] = ports();
    let server = TestServer::at(settings("market", market, &[("farm", farm, "jade")]));
    let (_client, _ada, mut to_ada) = agent(&server, "ada");
    // As JADE writes it, with an absolute URI.
    let kind = "multipart/mixed ; boundary=\"b\"\r\nCache-Control: no-cache\r\nMime-Version: 1.0";
    let head = head(kind).replace("/acc", &format!("http://{}/acc", server.address));
    let send = |head: &str, from: &str, sender: &str, receiver: &str| {
        post(server.address, head, &body(from, sender, receiver)).0
    };
    assert_eq!(send(&head, "bob@farm", "bob@farm", "ada@market"), 200);
    let received = receive(&mut to_ada);
    assert_eq!((received.sender_name(), text(&received).as_str()), (Some("bob@farm"), "hello"));

    assert_eq!(send(&head, "bob@elsewhere", "bob@elsewhere", "ada@market"), 403);
    assert_eq!(send(&head, "bob@farm", "ada@market", "ada@market"), 403);
    assert_eq!(send(&head, "bob@farm", "ams", "ada@market"), 403);
    assert_eq!(send(&head, "bob@farm", "bob@farm", "zoe@elsewhere"), 400, "messages are not passed on");
    assert_eq!(send(&format!("{head}\r\nOrigin: http://page.example"), "bob@farm", "bob@farm", "ada@market"), 403);
    assert_eq!(post(server.address, &head.replace("POST", "GET"), "").0, 405);
    assert_eq!(post(server.address, &head, "--b\r\n\r\n<envelope/>").0, 400, "without its end");
    let bomb =
        body("bob@farm", "bob@farm", "ada@market").replace("<envelope>", "<!DOCTYPE x SYSTEM \"http://x\"><envelope>");
    assert_eq!(post(server.address, &head, &bomb).0, 400);
    assert_eq!(post(server.address, &head, &"x".repeat(3 << 20)).0, 413);
    assert_eq!(post(server.address, &head.replace("multipart", "text"), "").0, 400);

    // A number counts once, and messages without a number always.
    let numbered = format!("{head}\r\nX-Situated-Number: 7");
    for head in [&numbered, &numbered, &head, &head] {
        assert_eq!(send(head, "bob@farm", "bob@farm", "ada@market"), 200);
    }
    assert_eq!(send(&numbered.replace('7', "8"), "cleo@farm", "cleo@farm", "ada@market"), 200);
    // The platform has got other data, and then returned to these.
    for (number, sender) in [((1_u64 << 32) + 3, "dan@farm"), (9, "eve@farm"), (9, "eve@farm"), (10, "ada@farm")] {
        assert_eq!(send(&format!("{head}\r\nX-Situated-Number: {number}"), sender, sender, "ada@market"), 200);
    }
    assert_eq!(send(&head, "zoe@farm", "zoe@farm", "ada@market"), 200);
    let mut senders = Vec::new();
    while senders.last().is_none_or(|last| last != "zoe@farm") {
        senders.push(receive(&mut to_ada).sender_name().expect("it has one").to_owned());
    }
    let once = ["cleo@farm", "dan@farm", "eve@farm", "ada@farm", "zoe@farm"];
    assert_eq!(senders, [&["bob@farm"; 3][..], &once].concat());
}

#[test]
fn a_platform_gets_its_share_of_a_mailbox_and_messages_for_others_go_on() {
    let [market, farm] = ports();
    let server = TestServer::at(settings("market", market, &[("farm", farm, "string")]));
    let (client, ada, mut to_ada) = agent(&server, "ada");
    let _bob = client.open_mailbox("bob").wait().expect("the name is free");
    let head = head("multipart/mixed; boundary=b");
    let send = |receiver: &str, content: &str| {
        post(server.address, &head, &body("eve@farm", "eve@farm", receiver).replace("hello", content)).0
    };
    let large = "x".repeat(200_000);
    while ada.send(&Message::inform().to("bob").content(large.clone())).wait().is_ok() {}
    let accepted = (0..100).take_while(|_| send("bob@market", &large) == 200).count();
    assert!((15..=30).contains(&accepted), "{accepted} messages are a quarter of the mailbox, which Ada has filled");
    assert_eq!(send("bob@market", &large), 409);
    assert_eq!(send("ada@market", "hello"), 200);
    assert_eq!(receive(&mut to_ada).sender_name(), Some("eve@farm"));
}

#[test]
fn a_lease_ends_while_a_platform_sends_messages() {
    let [market, farm] = ports();
    let server = TestServer::at(settings("market", market, &[("farm", farm, "string")]));
    let (_client, ada, mut to_ada) = agent(&server, "ada");
    let services = ada.directory();
    services.subscribe("sellers", Service::of_type("fruit")).wait().expect("it may");
    let plums = Description::from(Service::new("plums", "fruit"));
    services.register(Description { lease: Some(Duration::from_millis(1)), ..plums }).wait().expect("it may");
    assert_eq!(receive(&mut to_ada).sender_name(), Some("df"), "it is registered");
    let head = head("multipart/mixed; boundary=b");
    let has_ended = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(post(server.address, &head, &body("bob@farm", "bob@farm", "ada@market")).0, 200);
        receive(&mut to_ada).sender_name() == Some("df")
    });
    assert!(has_ended, "the messages do not hold up the end of the lease");
}

#[test]
fn a_server_without_a_platform_accepts_nothing() {
    let server = TestServer::open(Duration::from_secs(5));
    let head = head("multipart/mixed; boundary=b");
    assert_eq!(post(server.address, &head, &body("bob@farm", "bob@farm", "ada")).0, 404);
}

#[test]
fn observers_of_both_servers_see_a_conversation_that_follows_its_protocol() {
    let [market, farm] = ports();
    let servers = [
        TestServer::at(settings("market", market, &[("farm", farm, "xml")])),
        TestServer::at(settings("farm", farm, &[("market", market, "xml")])),
    ];
    let (one, ada, mut to_ada) = agent(&servers[0], "ada");
    let (other, bob, mut to_bob) = agent(&servers[1], "bob");
    let cfp = Message::cfp().to("bob@farm").protocol(Protocol::ContractNet).conversation_id("c1").reply_with("r1");
    ada.send(&cfp).wait().expect("it is accepted");
    bob.send(&receive(&mut to_bob).reply(Performative::Propose).reply_with("r2").from("bob")).wait().expect("it may");
    let accepted = receive(&mut to_ada).reply(Performative::AcceptProposal).reply_with("r3").from("ada");
    ada.send(&accepted).wait().expect("it may");
    bob.send(&receive(&mut to_bob).reply(Performative::Inform).from("bob")).wait().expect("it may");
    receive(&mut to_ada);
    for (client, names) in [(one, ["ada", "bob@farm"]), (other, ["ada@market", "bob"])] {
        let topic =
            Topic::Conversations(ConversationFilter { agent: None, protocol: None, conversation: Some("c1".into()) });
        let mut watch = client.subscribe::<Conversations>(topic).wait().expect("it may");
        let mut seen = Vec::new();
        while seen.len() < 4 {
            seen.extend(watch.receive().wait().expect("it comes").messages);
        }
        let violations: Vec<_> = seen.iter().flat_map(|seen| &seen.violations).collect();
        assert!(violations.is_empty(), "{violations:?}");
        let senders: Vec<String> = seen
            .into_iter()
            .map(|seen| {
                Message::try_from(seen.message).expect("it is one").sender_name().unwrap_or_default().to_owned()
            })
            .collect();
        assert_eq!(senders, [names[0], names[1], names[0], names[1]]);
    }
}

//! Servers of several platforms, and programs that pretend to be one of them.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};

use situated_acl::{Message, Performative};
use situated_client::directory::Service;
use situated_client::{Client, Mail, Mailbox};
use situated_wire::methods::Role;

use crate::serve::Serving;
use crate::{SITUATED, fresh_directory};

/// The secrets that the market shares with the farm, and with the mill.
const OF_FARM: &str = "secret-of-market-and-farm";
const OF_MILL: &str = "secret-of-market-and-mill";

/// Free ports.
pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there are free ports"));
    listeners.map(|listener| listener.local_addr().expect("it listens").port())
}

/// The options of a platform whose peers have these names, ports and secrets. The secrets are in a file in a folder of
/// this name.
pub(crate) fn options_of_platform(folder: &str, name: &str, peers: &[(&str, u16, &str)]) -> String {
    let file = fresh_directory(folder).join("secrets.toml");
    let secrets: String = peers.iter().map(|(peer, _, secret)| format!("{peer} = '{secret}'\n")).collect();
    fs::write(&file, secrets).expect("there is room");
    let peers: String =
        peers.iter().map(|(peer, port, _)| format!(" --peer {peer}=http://127.0.0.1:{port}/acc")).collect();
    format!("--platform {name}{peers} --peer-secrets {}", file.display())
}

/// An agent of a server, with its messages.
async fn agent(server: &Serving, name: &str) -> (Client, Mailbox, Mail) {
    let client = Client::connect(&format!("tcp://{}", server.address)).role(Role::Platform);
    let client = client.await.expect("the server listens");
    let mailbox = client.open_mailbox(name).await.expect("the name is free");
    let mail = mailbox.mail().await.expect("it may");
    (client, mailbox, mail)
}

fn text(message: &Message<'_>) -> String {
    message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default().to_owned()
}

/// The content of a request to register a service of an agent.
fn registration(agent: &str) -> String {
    format!(
        "((action (agent-identifier :name df@market) (register (df-agent-description :name \
         (agent-identifier :name {agent}) :services (set (service-description :name plums :type fruit))))))"
    )
}

/// Sends a message to the market as any program could, and returns the status of the response.
fn post(market: &str, secret: Option<&str>, sender: &str, receiver: &str, content: &str) -> u16 {
    let (_, platform) = sender.split_once('@').expect("it has a platform");
    let body = format!(
        "nothing\r\n--b\r\nContent-Type: application/xml\r\n\r\n<?xml version=\"1.0\"?>\n<envelope><params index=\"1\">\
         <to><agent-identifier><name>{receiver}</name></agent-identifier></to>\
         <from><agent-identifier><name>any@{platform}</name></agent-identifier></from>\
         <acl-representation>fipa.acl.rep.string.std</acl-representation><date>20261120Z125737240</date>\
         </params></envelope>\r\n--b\r\nContent-Type: application/text\r\n\r\n\
         (REQUEST :sender (agent-identifier :name {sender}) :receiver (set (agent-identifier :name {receiver})) \
         :language fipa-sl0 :content \"{content}\")\r\n--b--\r\n\r\n"
    );
    let secret = secret.map(|secret| format!("Authorization: Bearer {secret}\r\n")).unwrap_or_default();
    let mut stream = TcpStream::connect(market).expect("it listens");
    let head = format!("Host: {market}\r\n{secret}Content-Type: multipart/mixed; boundary=b\r\nConnection: close");
    write!(stream, "POST /acc HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers");
    response.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{response}"))
}

#[tokio::test]
async fn programs_without_the_secret_of_a_peer_do_nothing_in_its_name() {
    let [market, farm, mill] = free_ports();
    let peers = [("farm", farm, OF_FARM), ("mill", mill, OF_MILL)];
    let options = options_of_platform("platforms-market", "market", &peers);
    let market = Serving::start(&format!("find-goals --port {market} {options} --peer-registers mill"));
    let port = market.address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("it has a port");
    let options = options_of_platform("platforms-farm", "farm", &[("market", port, OF_FARM)]);
    let farm = Serving::start(&format!("find-goals --port {farm} {options}"));
    let (_one, ada, mut to_ada) = agent(&market, "ada").await;
    let (_other, bob, mut to_bob) = agent(&farm, "bob").await;

    for (secret, sender, status) in [
        (None, "bob@farm", 401),
        (Some("wrong-secret-of-market-and-farm"), "bob@farm", 401),
        (Some(""), "bob@farm", 401),
        (Some(OF_MILL), "bob@farm", 403),
        (Some(OF_FARM), "eve@mill", 403),
        (Some(OF_FARM), "ada@market", 403),
        (None, "eve@elsewhere", 401),
    ] {
        for (receiver, content) in [("ada@market", "forged".to_owned()), ("df@market", registration(sender))] {
            assert_eq!(post(&market.address, secret, sender, receiver, &content), status, "{secret:?}, {sender}");
        }
    }
    // The farm itself is served meanwhile, but its agents may not register.
    bob.send(&Message::inform().to("ada@market").content("genuine")).await.expect("there is room");
    let first = to_ada.receive().await.expect("it arrives");
    assert_eq!((first.sender_name(), text(&first).as_str()), (Some("bob@farm"), "genuine"), "no other has arrived");
    let request = Message::request().to("df@market").language("fipa-sl0");
    bob.send(&request.content(registration("bob@farm"))).await.expect("there is room");
    let refusal = to_bob.receive().await.expect("it is answered");
    assert_eq!((refusal.performative, refusal.sender_name()), (Performative::Refuse, Some("df@market")));
    assert!(text(&refusal).ends_with(") unauthorised)"), "{}", text(&refusal));
    let fruit = || async { ada.directory().search(Service::of_type("fruit")).await.expect("it may") };
    assert_eq!(fruit().await, []);

    // Agents of the mill may.
    assert_eq!(post(&market.address, Some(OF_MILL), "eve@mill", "df@market", &registration("eve@mill")), 200);
    let found: Vec<_> = fruit().await.into_iter().map(|one| one.agent).collect();
    assert_eq!(found, [Some("eve@mill".to_owned())]);
    // All can search.
    ada.directory().register(Service::new("peaches", "fruit")).await.expect("it may");
    let found = bob.directory().search_federated(Service::of_type("fruit"), 1).await.expect("it may");
    let found: Vec<_> = found.into_iter().map(|one| one.agent).collect();
    assert_eq!(found, [Some("ada@market".to_owned()), Some("eve@mill".to_owned())]);
}

#[test]
fn a_server_says_which_platforms_it_knows_by_their_addresses_alone() {
    let peers = "--peer farm=http://127.0.0.1:1/acc,jade --peer mill=http://192.0.2.1/acc";
    let trusted = "--peer-by-address farm --peer-by-address mill --peer-registers farm";
    let mut serving = Command::new(SITUATED);
    serving.args(format!("serve find-goals --port 0 --log-level error --platform market {peers} {trusted}").split(' '));
    let mut serving = serving.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary can be started");
    let mut said = std::io::BufReader::new(serving.stdout.take().expect("it is piped"));
    let (_, address) = crate::announced(&mut said);
    for (secret, sender, status) in [
        (None, "bob@farm", 200),
        (Some(OF_FARM), "bob@farm", 401),
        // It is at another address.
        (None, "eve@mill", 403),
    ] {
        assert_eq!(post(&address, secret, sender, "df@market", &registration(sender)), status, "{secret:?}, {sender}");
    }
    let killed = Command::new("kill").args(["-TERM", &serving.id().to_string()]).status();
    assert!(killed.expect("there is `kill`").success());
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("it prints UTF-8");
    assert_eq!(serving.wait().expect("it ends").code(), Some(0));
    for line in [
        "Platform farm sends no secret: every program on the host of http://127.0.0.1:1/acc can write in the name of its \
         agents.\n",
        "Platform mill sends no secret: every program on the host of http://192.0.2.1/acc can write in the name of its \
         agents.\n",
        "Agents of platform farm can register services in the directory.\n",
    ] {
        assert!(rest.contains(line), "{rest}");
    }
}

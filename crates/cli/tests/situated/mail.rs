//! `situated mail` against a real server.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};

use serde_json::json;
use situated_client::Client;
use situated_client::directory::{Description, Service};
use situated_wire::methods::Role;

use crate::SITUATED;
use crate::platforms::{free_ports, options_of_platform};
use crate::serve::Serving;

/// A server without agents.
struct Server {
    _serving: Serving,
    url: String,
}

impl Server {
    fn start(arguments: &str) -> Self {
        let serving = Serving::start(&format!("find-goals {arguments}"));
        let url = format!("tcp://{}", serving.address);
        Self { _serving: serving, url }
    }

    fn mail(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(SITUATED);
        command.arg("mail").args(arguments).args(["--url", &self.url]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn finish(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self.mail(arguments).spawn().expect("the binary can be started");
        child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    }

    /// Sends again and again until the receiver is registered.
    fn send(&self, arguments: &[&str], input: &str) {
        for _ in 0..200 {
            let sent = self.finish(arguments, input);
            if sent.status.success() {
                assert_eq!((sent.stdout, sent.stderr), (Vec::new(), Vec::new()));
                return;
            }
            let error = String::from_utf8(sent.stderr).expect("text");
            assert!(error.ends_with(" not-registered)\n"), "{error}");
        }
        panic!("nobody is registered");
    }
}

#[test]
fn a_message_is_sent_and_read_in_the_string_encoding() {
    let server = Server::start("");
    let reader = server.mail(&["read", "bob"]).spawn().expect("the binary can be started");
    let options = ["--act", "request", "--protocol", "fipa-request", "--conversation-id", "c 1", "--reply-with", "r1"];
    server.send(&[["send", "--from", "ada", "--to", "bob", "lift (all) \"blocks\""].as_slice(), &options].concat(), "");
    let read = reader.wait_with_output().expect("it ends");
    let text = String::from_utf8(read.stdout).expect("text");
    let message = situated_acl::Encoding::String.decode(text.trim_end().as_bytes()).expect("it is a message");
    let wanted = situated_acl::Message::request()
        .from("ada")
        .to("bob")
        .content("lift (all) \"blocks\"")
        .protocol(situated_acl::Word::new("fipa-request").expect("a word"))
        .conversation_id("c 1")
        .reply_with("r1");
    assert_eq!((message, read.status.code()), (wanted, Some(0)));
}

#[test]
fn watching_prints_each_message_until_a_signal_stops_it() {
    let server = Server::start("");
    let mut watcher = server.mail(&["watch", "bob"]).spawn().expect("the binary can be started");
    let mut lines = BufReader::new(watcher.stdout.take().expect("it is piped")).lines();
    for number in ["one", "two", "three"] {
        // From standard input.
        server.send(&["send", "--from", "ada", "--to", "bob"], number);
        let line = lines.next().expect("it goes on").expect("text");
        assert!(line.starts_with("(inform") && line.contains(number), "{line}");
    }
    let killed = Command::new("kill").args(["-INT", &watcher.id().to_string()]).status();
    assert!(killed.expect("there is `kill`").success());
    assert_eq!(watcher.wait().expect("it ends").code(), Some(0));
    // Its name is free again.
    let refused = server.finish(&["send", "--from", "bob", "--to", "bob", "--to", "zoe", "me"], "");
    assert_eq!(refused.status.code(), Some(1));
    let error = String::from_utf8(refused.stderr).expect("text");
    assert!(error.starts_with("error: the message did not reach all its receivers:\n((action "), "{error}");
    assert!(error.contains(":name zoe") && error.lines().count() == 2, "{error}");
}

/// The servers of two platforms, market and farm, for a test of this name.
fn platforms(test: &str) -> (Server, Server) {
    let [market, farm] = free_ports();
    let start = |name: &str, port: u16, peer: &str, peer_port: u16| {
        let options =
            options_of_platform(&format!("{test}-{name}"), name, &[(peer, peer_port, "a-secret-of-two-servers")]);
        Server::start(&format!("--port {port} {options}"))
    };
    (start("market", market, "farm", farm), start("farm", farm, "market", market))
}

#[tokio::test]
async fn a_message_to_another_platform_is_sent_when_that_has_answered() {
    let (market, farm) = platforms("mail-sent");
    let client = Client::connect(&farm.url).role(Role::Platform).await.expect("the server listens");
    let bob = client.open_mailbox("bob").await.expect("the name is free");
    let send = |receivers: &[&str]| {
        let sent = market.finish(&[&["send", "--from", "ada", "x"], receivers].concat(), "");
        (sent.status.code(), String::from_utf8(sent.stderr).expect("text"))
    };
    assert_eq!(send(&["--to", "bob@farm"]), (Some(0), String::new()));
    let mut to_bob = bob.mail().await.expect("it may");
    assert_eq!(to_bob.receive().await.expect("it arrives").sender_name(), Some("ada@market"));
    for missing in ["zoe@farm", "zoe@market", "zoe@elsewhere"] {
        let (code, error) = send(&["--to", "bob@farm", "--to", missing]);
        assert!(error.contains("zoe") && error.trim_end().ends_with(" not-registered)"), "{error}");
        assert_eq!((code, error.lines().count()), (Some(1), 2), "{error}");
        assert_eq!(to_bob.receive().await.expect("it arrives").sender_name(), Some("ada@market"));
    }
    client.close().await.expect("it is open");
}

#[tokio::test]
async fn the_directory_lists_agents_of_other_platforms() {
    let (market, farm) = platforms("mail-directory");
    let client = Client::connect(&farm.url).role(Role::Platform).await.expect("the server listens");
    let bob = client.open_mailbox("bob").await.expect("the name is free");
    bob.directory().register(Service::new("plums", "trade")).await.expect("it may");
    let listed = |arguments: &[&str]| {
        let done = market.finish(&[&["directory"], arguments].concat(), "");
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        String::from_utf8(done.stdout).expect("text")
    };
    assert_eq!(listed(&[]), "");
    assert_eq!(listed(&["--max-depth", "1"]), "bob@farm\tplums\ttrade\t\n");
    client.close().await.expect("it is open");
}

#[tokio::test]
async fn the_directory_lists_agents_and_their_services() {
    let server = Server::start("");
    let client = Client::connect(&server.url).role(Role::Platform).await.expect("the server listens");
    let ada = client.open_mailbox("ada").await.expect("the name is free");
    let _zoe = client.open_mailbox("zoe").await.expect("the name is free");
    let mut plums = Description::from(Service::new("plums", "trade").property("price", 3).property("unit", "a box"));
    plums.services.push(Service::new("advice", "gift"));
    ada.directory().register(plums).await.expect("it may");
    let listed = |arguments: &[&str]| {
        let done = server.finish(&[&["directory"], arguments].concat(), "");
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        String::from_utf8(done.stdout).expect("text")
    };
    assert_eq!(listed(&[]), "ada\tplums\ttrade\tprice=3, unit=\"a box\"\nada\tadvice\tgift\t\nzoe\t\t\t\n");
    assert_eq!(listed(&["--type", "gift"]).lines().count(), 2);
    assert_eq!(listed(&["--type", "theft"]), "");
    let json: serde_json::Value = serde_json::from_str(&listed(&["--json"])).expect("it is JSON");
    let service =
        json!({ "name": "plums", "type": "trade", "properties": { "price": { "number": "3" }, "unit": "a box" } });
    let services = json!([service, { "name": "advice", "type": "gift" }]);
    assert_eq!(json, json!({ "agents": ["ada", "zoe"], "services": [{ "agent": "ada", "services": services }] }));
    client.close().await.expect("it is open");
}

#[test]
fn mistakes_are_explained() {
    let server = Server::start("");
    let mut watcher = server.mail(&["watch", "bob"]).spawn().expect("the binary can be started");
    server.send(&["send", "--from", "ada", "--to", "bob", "x"], "");
    let taken = server.finish(&["read", "bob"], "");
    watcher.kill().expect("it runs");
    watcher.wait().expect("it ends");
    let error = String::from_utf8(taken.stderr).expect("text");
    assert!(taken.status.code() == Some(1) && error.contains("`bob`"), "{error}");
    let wrong = server.finish(&["send", "--from", "ada", "--to", "bob", "--act", "shout", "x"], "");
    let error = String::from_utf8(wrong.stderr).expect("text");
    assert!(wrong.status.code() == Some(2) && error.contains("shout"), "{error}");
    let mut nowhere = Command::new(SITUATED);
    nowhere.args(["mail", "read", "bob", "--url", "tcp://127.0.0.1:1"]);
    let mut child = nowhere.stderr(Stdio::piped()).spawn().expect("the binary can be started");
    let mut error = String::new();
    child.stderr.take().expect("it is piped").read_to_string(&mut error).expect("text");
    assert!(child.wait().expect("it ends").code() == Some(1) && error.contains("tcp://127.0.0.1:1"), "{error}");
}

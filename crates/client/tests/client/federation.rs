//! Searches that go on in the directories of other servers.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use situated_acl::{Message, Performative, Time};
use situated_client::directory::{Description, Service};
use situated_client::{Client, Mailbox};
use situated_wire::methods::Role;

use crate::platforms::{ports, settings, text};
use crate::server::TestServer;

fn agent(server: &TestServer, name: &str) -> (Client, Mailbox) {
    let client = Client::connect(&server.addresses()[1]).role(Role::Platform).wait().expect("the server listens");
    let mailbox = client.open_mailbox(name).wait().expect("the name is free");
    (client, mailbox)
}

fn names(found: Vec<Description>) -> Vec<String> {
    found.into_iter().map(|one| one.agent.expect("it has a name")).collect()
}

#[test]
fn a_search_goes_on_in_other_directories_up_to_its_depth() {
    // The market knows the farm, and the farm knows the mill.
    let [market, farm, mill] = ports();
    let market = TestServer::at(settings("market", market, &[("farm", farm, "string")]));
    let farm = TestServer::at(settings(
        "farm",
        farm,
        &[("market", market.address.port(), "xml"), ("mill", mill, "bit-efficient")],
    ));
    let mill = TestServer::at(settings("mill", mill, &[("farm", farm.address.port(), "string")]));
    let (_one, ada) = agent(&market, "ada");
    let (_two, bob) = agent(&farm, "bob");
    let (_three, cleo) = agent(&mill, "cleo");
    for (mailbox, kind) in [(&ada, "fruit"), (&bob, "fruit"), (&cleo, "fruit")] {
        mailbox.directory().register(Service::new("plums", kind)).wait().expect("it may");
    }
    let search = |mailbox: &Mailbox, depth| {
        names(mailbox.directory().search_federated(Service::of_type("fruit"), depth).wait().expect("it may"))
    };
    assert_eq!(search(&ada, 0), ["ada"]);
    assert_eq!(search(&ada, 1), ["ada", "bob@farm"]);
    assert_eq!(search(&ada, 2), ["ada", "bob@farm", "cleo@mill"]);
    assert_eq!(search(&ada, u32::MAX), ["ada", "bob@farm", "cleo@mill"]);
    assert_eq!(search(&bob, 1), ["bob", "ada@market", "cleo@mill"]);
    assert_eq!(search(&cleo, 1), ["cleo", "bob@farm"]);

    // The same by an ordinary request: one more result than there is here, from elsewhere.
    let mut to_ada = ada.mail().wait().expect("it may");
    let request = "((action (agent-identifier :name df) (search (df-agent-description :services \
        (set (service-description :type fruit))) (search-constraints :max-results 2 :max-depth 2))))";
    let request = Message::request().to("df").language("fipa-sl0").content(request).reply_with("r1");
    ada.send(&request).wait().expect("it is accepted");
    let answer = to_ada.receive().wait().expect("it arrives");
    assert_eq!((answer.performative, answer.sender_name()), (Performative::Inform, Some("df")));
    assert_eq!(answer.in_reply_to, Some("r1".into()));
    let bob = format!("(agent-identifier :name bob@farm :addresses (sequence http://{}/acc))", farm.address);
    assert!(text(&answer).contains(&bob) && !text(&answer).contains("cleo"), "{}", text(&answer));

    // Without the mill, a search that would go there is answered in time, and the farm is not given up.
    drop(mill);
    let all = request.content(
        "((action (agent-identifier :name df) (search (df-agent-description :services \
        (set (service-description :type fruit))) (search-constraints :max-results -1 :max-depth 2))))",
    );
    for _ in 0..2 {
        ada.send(&all.clone().reply_by(Time::after(4000))).wait().expect("it is accepted");
        let answer = text(&to_ada.receive().wait().expect("it arrives"));
        assert!(answer.contains(&bob) && answer.contains(":name ada") && !answer.contains("cleo"), "{answer}");
    }
}

#[test]
fn the_white_pages_know_whose_client_is_away() {
    let [market] = ports();
    let market = TestServer::at(settings("market", market, &[]));
    let (_client, ada) = agent(&market, "ada");
    let mut connection = TcpStream::connect(market.address).expect("it listens");
    for call in [
        r#"{"jsonrpc":"2.0","id":0,"method":"hello","params":{"protocol":2,"role":"platform"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"openMailbox","params":{"agent":"bob"}}"#,
    ] {
        writeln!(connection, "{call}").expect("it reads");
    }
    let mut answers = BufReader::new(connection.try_clone().expect("it is open")).lines();
    for _ in 0..2 {
        let answer = answers.next().expect("it answers").expect("it is open");
        assert!(answer.contains("result"), "{answer}");
    }
    let mut to_ada = ada.mail().wait().expect("it may");
    let mut described = || {
        let request = "((action (agent-identifier :name ams) (search (ams-agent-description \
            :name (agent-identifier :name bob)))))";
        ada.send(&Message::request().to("ams").content(request)).wait().expect("it is accepted");
        text(&to_ada.receive().wait().expect("it arrives"))
    };
    assert!(described().contains(":state active"));
    drop((answers, connection));
    while !described().contains(":state suspended") {
        std::thread::yield_now();
    }
}

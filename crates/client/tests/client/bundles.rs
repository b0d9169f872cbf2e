//! Several messages in one request, between servers that take them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use situated_acl::Message;
use situated_platform::transport::{Form, NUMBER, Packed, bundle, unbundle, unpack};

use crate::platforms::{agent, body, head, ports, post, receive, settings, text};
use crate::server::TestServer;

/// A platform that answers each request as the test says.
struct Scripted {
    listener: TcpListener,
}

impl Scripted {
    /// Receives a request, and answers it after the work is done. Returns the contents of its messages.
    fn receive(&self, status: &str, headers: &str, work: impl FnOnce()) -> Vec<String> {
        let (stream, _) = self.listener.accept().expect("the server connects");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it is open");
        let mut reader = BufReader::new(&stream);
        let (mut kind, mut number, mut length) = (String::new(), None, 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("it sends a request");
            let Some((name, value)) = line.trim().split_once(": ") else {
                if line.trim().is_empty() {
                    break;
                }
                continue;
            };
            match name.to_ascii_lowercase() {
                name if name == "content-type" => kind = value.into(),
                name if name == "content-length" => length = value.parse().expect("a number"),
                name if name == NUMBER.to_ascii_lowercase() => number = value.parse::<u64>().ok(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("it sends a body");
        work();
        write!(&stream, "HTTP/1.1 {status}\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n").expect("open");
        let content = |kind: &str, body: &[u8]| {
            text(&unpack(kind, body, |_| Some(Form::default())).expect("it is a message").message)
        };
        match unbundle(&kind, &body, 64).expect("it is no damaged bundle") {
            None => {
                assert!(number.is_some(), "a message between servers has a number");
                vec![content(&kind, &body)]
            }
            Some(messages) => messages.iter().map(|one| content(one.content_type, one.body)).collect(),
        }
    }
}

#[test]
fn a_platform_gets_bundles_while_it_says_that_it_takes_them() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let farm = Scripted { listener };
    let port = farm.listener.local_addr().expect("it listens").port();
    let [market] = ports();
    let market = TestServer::at(settings("market", market, &[("farm", port, "string")]));
    let (_client, ada, mut to_ada) = agent(&market, "ada");
    let send = |number: u32| {
        let message = Message::request().to("bob@farm").content(number.to_string()).reply_with(format!("r{number}"));
        ada.send(&message).wait().expect("it is accepted");
    };
    send(0);
    let takes = "X-Situated-Bundle: 4\r\n";
    assert_eq!(farm.receive("200 OK", takes, || (1..12).for_each(send)), ["0"]);
    let refused = format!("{takes}X-Situated-Accepted: 2\r\n");
    assert_eq!(farm.receive("403 Forbidden", &refused, || {}), ["1", "2", "3", "4"]);
    let failure = receive(&mut to_ada);
    assert_eq!(failure.in_reply_to, Some("r3".into()), "the third was refused, and comes back");
    assert_eq!(farm.receive("200 OK", takes, || {}), ["4", "5", "6", "7"]);
    // Another program has taken the place of the server.
    assert_eq!(farm.receive("400 Bad Request", "", || {}), ["8", "9", "10", "11"]);
    for number in ["8", "9", "10", "11"] {
        assert_eq!(farm.receive("200 OK", "", || {}), [number]);
    }
    send(12);
    assert_eq!(farm.receive("500 Internal Server Error", takes, || {}), ["12"]);
    assert_eq!(farm.receive("200 OK", takes, || {}), ["12"], "it is sent again");
}

#[test]
fn the_messages_of_a_bundle_are_accepted_up_to_the_first_that_is_refused() {
    let [market, farm] = ports();
    let server = TestServer::at(settings("market", market, &[("farm", farm, "string")]));
    let (_client, _ada, mut to_ada) = agent(&server, "ada");
    let one = |number, sender: &str| {
        let body = body("bob@farm", sender, "ada@market").into_bytes();
        (number, Packed { content_type: "multipart/mixed; boundary=b".into(), body })
    };
    let send = |messages: &[(u64, Packed)]| {
        let Packed { content_type, body } = bundle(messages);
        let head = head(&content_type);
        let (status, response) = post(server.address, &head, str::from_utf8(&body).expect("it is text"));
        let response = response.to_ascii_lowercase();
        assert!(response.contains("x-situated-bundle: 64\r\n"), "{response}");
        let accepted = response.split("x-situated-accepted: ").nth(1).and_then(|rest| rest.lines().next());
        (status, accepted.map(str::to_owned))
    };
    let messages = [one(1, "bob@farm"), one(2, "cleo@farm"), one(3, "dan@elsewhere"), one(4, "eve@farm")];
    assert_eq!(send(&messages), (403, Some("2".into())));
    // Its response was lost.
    assert_eq!(send(&messages), (403, Some("2".into())));
    assert_eq!(send(&messages[3..]), (200, None));
    assert_eq!(send(&[]), (400, Some("0".into())));
    let senders = [(); 3].map(|()| receive(&mut to_ada).sender_name().expect("it has one").to_owned());
    assert_eq!(senders, ["bob@farm", "cleo@farm", "eve@farm"], "each once");
}

//! The clients of the measurement, which do as little work as possible.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

use serde::Deserialize;

/// Maximum number of calls without an answer.
const MISSING: usize = 256;

/// A connection whose calls are answered in order.
struct Connection {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
    line: Vec<u8>,
}

/// An agent that sends.
pub(super) struct Sender {
    connection: Connection,
    agent: String,
    number: u64,
    unsent: String,
    missing: usize,
}

/// An agent that receives and acknowledges.
pub(super) struct Receiver {
    connection: Connection,
    agent: String,
}

#[derive(Deserialize)]
struct Notification<'a> {
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    messages: Vec<Received<'a>>,
}

#[derive(Deserialize)]
struct Received<'a> {
    number: u64,
    #[serde(borrow)]
    message: Message<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    content: &'a str,
}

impl Connection {
    /// Connects, and opens the mailbox of an agent.
    fn open(address: SocketAddr, agent: &str) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("it is connected");
        let lines = BufReader::with_capacity(1 << 18, stream.try_clone().expect("it is connected"));
        let mut connection = Self { stream, lines, line: Vec::new() };
        connection.ask(r#"{"jsonrpc":"2.0","id":0,"method":"hello","params":{"protocol":2,"role":"platform"}}"#);
        connection.ask(&opening(agent));
        connection
    }

    fn ask(&mut self, call: &str) {
        self.write(&format!("{call}\n"));
        let answer = String::from_utf8_lossy(self.read());
        assert!(answer.contains("\"result\""), "{call}: {answer}");
    }

    fn write(&mut self, lines: &str) {
        self.stream.write_all(lines.as_bytes()).expect("the server listens");
    }

    fn read(&mut self) -> &[u8] {
        self.line.clear();
        assert_ne!(self.lines.read_until(b'\n', &mut self.line).expect("the server answers"), 0);
        &self.line
    }
}

fn opening(agent: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"openMailbox","params":{{"agent":"{agent}"}}}}"#)
}

impl Sender {
    pub(super) fn open(address: SocketAddr, agent: &str) -> Self {
        let connection = Connection::open(address, agent);
        Self { connection, agent: agent.into(), number: 0, unsent: String::new(), missing: 0 }
    }

    /// Sends a message. Waits for half of the answers if too many are missing.
    pub(super) fn send(&mut self, to: &str, content: &str) {
        self.number += 1;
        let Self { agent, number, .. } = self;
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{number},"method":"send","params":{{"agent":"{agent}","number":{number},"message":{{"performative":"inform","receivers":["{to}"],"content":"{content}"}}}}}}"#
        );
        self.call(&call);
    }

    pub(super) fn open_mailbox(&mut self, agent: &str) {
        self.call(&opening(agent));
    }

    /// Waits for all answers.
    pub(super) fn wait(&mut self) {
        self.flush();
        self.read_down_to(0);
    }

    fn call(&mut self, call: &str) {
        writeln!(self.unsent, "{call}").expect("there is room");
        self.missing += 1;
        if self.missing >= MISSING {
            self.flush();
            self.read_down_to(MISSING / 2);
        } else if self.unsent.len() > 1 << 12 {
            self.flush();
        }
    }

    pub(super) fn flush(&mut self) {
        self.connection.write(&std::mem::take(&mut self.unsent));
    }

    fn read_down_to(&mut self, missing: usize) {
        while self.missing > missing {
            let answer = self.connection.read();
            assert!(memchr::memmem::find(answer, b"\"result\"").is_some(), "{}", String::from_utf8_lossy(answer));
            self.missing -= 1;
        }
    }
}

impl Receiver {
    pub(super) fn open(address: SocketAddr, agent: &str) -> Self {
        let mut connection = Connection::open(address, agent);
        connection.ask(&format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{{"to":{{"mail":{{"agent":"{agent}"}}}}}}}}"#
        ));
        Self { connection, agent: agent.into() }
    }

    /// Receives a notification and acknowledges it. Returns the contents of its messages.
    pub(super) fn receive(&mut self) -> Vec<String> {
        let line = self.connection.read();
        let notification: Notification<'_> = serde_json::from_slice(line).expect("messages");
        let messages = notification.params.messages;
        let number = messages.last().expect("a message").number;
        let contents = messages.iter().map(|one| one.message.content.to_owned()).collect();
        let acknowledge = format!(
            r#"{{"jsonrpc":"2.0","method":"acknowledgeMail","params":{{"agent":"{}","number":{number}}}}}"#,
            self.agent
        );
        self.connection.write(&(acknowledge + "\n"));
        contents
    }
}

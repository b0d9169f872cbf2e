//! `serve`: doors that are open until it is told to stop.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use situated_recording::Recording;

use crate::{Finished, SITUATED, fresh_directory, situated};

/// A server that runs until it is dropped.
pub(crate) struct Serving {
    child: Child,
    /// Whoever it speaks to must not go.
    _listener: BufReader<ChildStdout>,
    /// Where it listens.
    pub(crate) address: String,
    /// What it has said up to then.
    said: String,
}

impl Serving {
    /// Serves with these arguments, on any port that is free.
    pub(crate) fn start(arguments: &str) -> Self {
        let arguments = format!("serve {arguments} --port 0 --log-level error");
        let mut command = Command::new(SITUATED);
        command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary can be started");
        let mut listener = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut said = String::new();
        let address = loop {
            assert!(listener.read_line(&mut said).expect("it prints UTF-8") > 0, "it says where it listens: {said}");
            if let Some((_, address)) = said.split_once("Page:   http://") {
                break address.trim_end().trim_end_matches('/').to_owned();
            }
        };
        Self { child, _listener: listener, address, said }
    }

    /// Tells it to stop, and waits until it has.
    fn stop(mut self) -> (Option<i32>, String) {
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(told.expect("there is a `kill`").success());
        let status = self.child.wait().expect("it ends");
        let mut err = String::new();
        let read = self.child.stderr.take().expect("it is piped").read_to_string(&mut err);
        read.expect("it prints UTF-8");
        (status.code(), err)
    }

    /// What is answered to a request of HTTP.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_says_what_is_there_and_where() {
    let serving = Serving::start("find-goals find-goals");
    for expected in ["Environment find-goals: running", "Environment find-goals-2: running"] {
        assert!(serving.said.contains(expected), "{}", serving.said);
    }
    assert!(serving.get("/healthz").ends_with("ok\n"));
    let metrics = serving.get("/metrics");
    assert!(metrics.contains("situated_entities{environment=\"find-goals-2\"} 2"), "{metrics}");
}

#[test]
fn who_is_told_to_stop_says_goodbye_and_finishes_what_is_recorded() {
    let folder = fresh_directory("served");
    let serving = Serving::start(&format!("find-goals --agents random --speed 200 --record {}", folder.display()));
    let mut stream = TcpStream::connect(&serving.address).expect("it listens");
    stream
        .write_all(
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":2,\"role\":\"observer\"}}\n",
        )
        .expect("it reads");
    let mut lines = BufReader::new(stream).lines();
    lines.next().expect("a greeting").expect("UTF-8");
    assert_eq!(serving.stop(), (Some(0), String::new()));
    let last = lines.next().expect("a goodbye").expect("UTF-8");
    assert!(last.contains("\"closing\"") && last.contains("shuttingDown"), "{last}");
    let files: Vec<_> = fs::read_dir(&folder).expect("it is there").map(|file| file.expect("a file").path()).collect();
    assert_eq!(files.len(), 1);
    assert!(Recording::open(&files[0]).expect("a recording").complete());
    assert_eq!(situated(&format!("replay {}", files[0].display())).code, 0, "it comes to the same again");
}

#[test]
fn nobody_is_let_in_from_elsewhere_without_tokens() {
    let Finished { code, err, .. } = situated("serve find-goals --host 0.0.0.0 --port 0");
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("--token-file") && err.contains("--exposed"), "{err}");
}

#[test]
fn wrong_usage_is_explained() {
    for (arguments, expected) in [
        ("serve find-goal", "find-goals"),
        ("serve find-goals --token act", "RIGHT=TOKEN"),
        ("serve find-goals --token rule=x", "rule"),
        ("serve find-goals --tls-cert chain.pem", "--tls-key"),
        ("serve find-goals --port 70000", "--port"),
    ] {
        let Finished { code, err, .. } = situated(arguments);
        assert_eq!(code, 2, "situated {arguments}\n{err}");
        assert!(err.contains(expected), "situated {arguments}\n{err}");
    }
}

//! Runs the command as its users do.

mod acl;
#[cfg(unix)]
mod book;
#[cfg(unix)]
mod check;
#[cfg(unix)]
mod check_environment;
pub mod damaged;
#[cfg(unix)]
mod data;
mod describing;
mod documents;
mod files;
mod help;
#[cfg(unix)]
mod mail;
mod mistakes;
mod models;
mod new;
#[cfg(target_os = "linux")]
mod on_a_terminal;
mod outside;
mod own_environment;
#[cfg(target_os = "linux")]
mod picture;
#[cfg(unix)]
mod platforms;
#[cfg(unix)]
mod python_files;
mod recording;
mod repeating;
mod run_page;
mod running;
#[cfg(unix)]
mod serve;
mod teams;
#[cfg(target_os = "linux")]
mod terminal;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};

/// The binary.
const SITUATED: &str = env!("CARGO_BIN_EXE_situated");

/// The result of the command.
struct Finished {
    code: i32,
    out: String,
    err: String,
}

/// Runs the command with these arguments, separated by blanks.
fn situated(arguments: &str) -> Finished {
    let output = Command::new(SITUATED).args(arguments.split_whitespace()).output();
    Finished::from(output.expect("the binary can be started"))
}

/// Returns the output of the command if it succeeds.
fn printed(arguments: &str) -> String {
    let Finished { code, out, err } = situated(arguments);
    assert_eq!((code, err.as_str()), (0, ""), "situated {arguments}");
    out
}

/// A script that starts a server with these arguments, and stops it as soon as it is ready.
fn serving(arguments: &str) -> String {
    format!(
        "said=$(mktemp)
        situated serve{arguments} --port 0 --log-level error >$said & server=$!
        while ! grep -q ^Page: $said && kill -0 $server 2>&-; do sleep 0.1; done
        kill $server 2>&-
        wait $server"
    )
}

/// Starts the command, and waits for its first line on standard error. Returns the process, its standard error from
/// then on, and the part of the line between two texts.
fn started(arguments: &[&str], out: Stdio, before: &str, after: &str) -> (Child, BufReader<ChildStderr>, String) {
    let mut command = Command::new(SITUATED);
    let command = command.args(arguments).stdout(out).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be started");
    let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it prints UTF-8");
    let between = line.strip_prefix(before).and_then(|rest| rest.split_once(after));
    let (between, _) = between.unwrap_or_else(|| panic!("{line}"));
    (child, said, between.to_owned())
}

/// Returns what a server prints until it is ready, and the address of its page in that text.
fn announced(printed: &mut impl BufRead) -> (String, String) {
    let mut said = String::new();
    loop {
        assert!(printed.read_line(&mut said).expect("it prints UTF-8") > 0, "it says where it listens: {said}");
        if let Some((_, address)) = said.split_once("Page:   http://") {
            let address = address.trim_end().trim_end_matches('/').to_owned();
            return (said, address);
        }
    }
}

/// The answer to a request of HTTP.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

/// An empty directory of this name.
fn fresh_directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It exists if the test has run before.
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("there is room");
    directory
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
        Finished {
            code: output.status.code().expect("no signal ends it"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

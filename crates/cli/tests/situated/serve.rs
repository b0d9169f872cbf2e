//! `serve`: a server that runs until a signal stops it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;
use situated_recording::Recording;

use crate::run_page::Manager;
use crate::{Finished, SITUATED, announced, fresh_directory, get, printed, situated};

/// A server that runs until it is dropped.
pub(crate) struct Serving {
    child: Child,
    /// Kept open, because the server writes to it.
    _listener: BufReader<ChildStdout>,
    /// The address at which the server listens.
    pub(crate) address: String,
    /// Its output up to then.
    said: String,
}

impl Serving {
    /// Serves with these arguments, on any port that is free unless they name one.
    pub(crate) fn start(arguments: &str) -> Self {
        Self::start_by(Command::new(SITUATED), arguments)
    }

    /// Starts a server with a command that runs the command in its arguments, or with that of another author.
    pub(crate) fn start_by(command: Command, arguments: &str) -> Self {
        Self::start_logging(command, arguments, "error")
    }

    /// Starts a server with a log of this level.
    fn start_logging(mut command: Command, arguments: &str, level: &str) -> Self {
        let port = if arguments.contains("--port") { "" } else { "--port 0" };
        let arguments = format!("serve {arguments} {port} --log-level {level}");
        command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary can be started");
        let mut listener = BufReader::new(child.stdout.take().expect("it is piped"));
        let (said, address) = announced(&mut listener);
        Self { child, _listener: listener, address, said }
    }

    /// Sends a signal to stop, and waits until the server has ended.
    fn stop(mut self) -> (Option<i32>, String) {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.expect("there is a `kill`").success());
        let status = self.child.wait().expect("it ends");
        let mut err = String::new();
        let read = self.child.stderr.take().expect("it is piped").read_to_string(&mut err);
        read.expect("it prints UTF-8");
        (status.code(), err)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn serve_prints_environments_and_addresses() {
    let serving = Serving::start("find-goals find-goals");
    for expected in ["Environment find-goals: running", "Environment find-goals-2: running"] {
        assert!(serving.said.contains(expected), "{}", serving.said);
    }
    assert!(get(&serving.address, "/healthz").ends_with("ok\n"));
    let metrics = get(&serving.address, "/metrics");
    assert!(metrics.contains("situated_entities{environment=\"find-goals-2\"} 2"), "{metrics}");
}

#[test]
fn a_server_answers_when_nobody_reads_its_log() {
    let mut serving = Serving::start_logging(Command::new(SITUATED), "find-goals", "trace");
    drop(serving.child.stderr.take());
    for _ in 0..3 {
        // Each request is logged.
        assert!(get(&serving.address, "/mcp/find-goals").starts_with("HTTP/1.1 405"));
    }
}

#[test]
fn a_stopped_server_sends_closing_and_completes_recordings() {
    let folder = fresh_directory("served").join("made/on/demand");
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
    let last = lines.next().expect("a last message").expect("UTF-8");
    assert!(last.contains("\"closing\"") && last.contains("shuttingDown"), "{last}");
    let files: Vec<_> = fs::read_dir(&folder).expect("it is there").map(|file| file.expect("a file").path()).collect();
    assert_eq!(files.len(), 1);
    assert!(Recording::open(&files[0]).expect("a recording").complete());
    assert_eq!(situated(&format!("replay {}", files[0].display())).code, 0, "the replay agrees");
}

#[test]
fn the_pace_can_be_chosen() {
    for (pace, expected) in
        [("reactive", json!("reactive")), ("real-time=40", json!({ "realTime": { "stepsPerSecond": 40.0 } }))]
    {
        let serving = Serving::start(&format!("find-goals --pace {pace}"));
        let mut manager = Manager::connect(&serving.address);
        let status = manager.call("status", &json!({ "environment": "find-goals" }));
        assert_eq!(status["result"]["status"]["pace"], expected);
    }
}

#[test]
fn with_patience_a_step_in_lockstep_does_not_wait_for_silent_agents() {
    let serving = Serving::start("find-goals --pace lockstep --patience 0.05");
    let mut manager = Manager::connect(&serving.address);
    let begin = Instant::now();
    while serving.step() < 3 {
        assert!(begin.elapsed() < Duration::from_secs(30), "it waits");
        sleep(Duration::from_millis(50));
    }
    let status = manager.call("status", &json!({ "environment": "find-goals" }));
    assert_eq!(status["result"]["status"]["pace"], "lockstep");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = fresh_directory("no_folder").join("file");
    fs::write(&file, "").expect("there is room");
    let Finished { code, err, .. } = situated(&format!("serve find-goals --port 0 --record {}/below", file.display()));
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("cannot record in the folder") && err.contains("/file/below"), "{err}");
}

#[test]
fn without_tokens_serve_listens_only_on_this_machine() {
    let Finished { code, err, .. } = situated("serve find-goals --host 0.0.0.0 --port 0");
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("--token-file") && err.contains("--exposed"), "{err}");
}

/// Files are readable by everybody here only on Unix.
#[cfg(unix)]
#[test]
fn a_server_on_all_interfaces_prints_an_address_for_others_and_warns_of_open_tokens() {
    use std::os::unix::fs::PermissionsExt;

    let file = fresh_directory("all_interfaces").join("tokens.toml");
    fs::write(&file, "observe = 'a-token-to-observe-with'").expect("there is room");
    let allow = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
    for (mode, is_open) in [(0o644, true), (0o600, false)] {
        allow(mode);
        let server = Serving::start(&format!("find-goals --host 0.0.0.0 --token-file {}", file.display()));
        assert!(!server.said.contains("0.0.0.0"), "{}", server.said);
        assert!(get(&server.address, "/healthz").ends_with("ok\n"), "it is reached at {}", server.address);
        let (code, err) = server.stop();
        assert_eq!(code, Some(0), "{err}");
        assert_eq!(err.contains("chmod 600"), is_open, "{err}");
        assert!(err.contains("without TLS"), "{err}");
    }
}

#[test]
fn wrong_usage_is_explained() {
    for (arguments, expected) in [
        ("serve find-goal", "find-goals"),
        ("serve find-goals --token act", "RIGHT=TOKEN"),
        ("serve find-goals --token rule=x", "rule"),
        ("serve find-goals --tls-cert chain.pem", "--tls-key"),
        ("serve find-goals --port 70000", "--port"),
        ("serve find-goals --patience=-1", "expected a number of seconds, 0 to 86400"),
        ("serve find-goals --pace leisurely", "expected reactive, lockstep, real-time or real-time=STEPS_PER_SECOND"),
        (
            "serve find-goals --pace real-time",
            "declares no number of steps per second; choose one: --pace real-time=50",
        ),
        ("serve find-goals --pace real-time=0", "found 0, expected a number of steps per second, at least 0.001"),
    ] {
        let Finished { code, err, .. } = situated(arguments);
        assert_eq!(code, 2, "situated {arguments}\n{err}");
        assert!(err.contains(expected), "situated {arguments}\n{err}");
    }
}

/// Serves where no file can have more than 64 KiB, as on a disk that is full then.
#[cfg(unix)]
fn serve_on_a_small_disk(arguments: &str) -> Serving {
    let mut command = Command::new("bash");
    command.args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"", SITUATED]);
    Serving::start_by(command, arguments)
}

#[cfg(unix)]
impl Serving {
    /// Waits until this metric has this value.
    fn wait_for_metric(&self, name: &str, value: &str) {
        let line = format!("\nsituated_{name} {value}\n");
        let begin = Instant::now();
        while !get(&self.address, "/metrics").contains(&line) {
            assert!(begin.elapsed() < Duration::from_secs(30), "no {line:?} in\n{}", get(&self.address, "/metrics"));
            sleep(Duration::from_millis(50));
        }
    }

    /// The step in which its first environment is.
    fn step(&self) -> u64 {
        let metrics = get(&self.address, "/metrics");
        let line = metrics.lines().find(|line| line.starts_with("situated_episode_steps{")).expect("it has begun");
        line.rsplit_once(' ').and_then(|(_, step)| step.parse().ok()).expect("a number")
    }
}

#[cfg(unix)]
#[test]
fn a_failed_recording_is_logged_at_once_and_sets_the_exit_code() {
    let folder = fresh_directory("full_disk");
    fs::create_dir_all(&folder).expect("there is room");
    let serving =
        serve_on_a_small_disk(&format!("find-goals --agents random --speed 2000 --record {}", folder.display()));
    serving.wait_for_metric("failed_recordings", "1");
    let step = serving.step();
    while serving.step() == step {
        sleep(Duration::from_millis(10));
    }
    let (code, err) = serving.stop();
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("the recording is incomplete environment=\"find-goals\" error="), "{err}");
    assert!(err.contains("one recording is incomplete; see the log"), "{err}");
}

#[cfg(unix)]
#[test]
fn an_environment_that_must_be_recorded_pauses_when_it_cannot_be() {
    let folder = fresh_directory("full_disk_stops");
    fs::create_dir_all(&folder).expect("there is room");
    let serving = serve_on_a_small_disk(&format!(
        "find-goals --agents random --speed 2000 --record-or-stop {}",
        folder.display()
    ));
    serving.wait_for_metric("failed_recordings", "1");
    let step = serving.step();
    sleep(Duration::from_millis(200));
    assert_eq!(serving.step(), step);
    let answered = Manager::connect(&serving.address).call("status", &json!({ "environment": "find-goals" }));
    assert_eq!(answered["result"]["status"]["state"], "paused", "{answered}");
    assert!(answered["result"]["status"]["recording"]["error"].is_string(), "{answered}");
    assert_eq!(serving.stop().0, Some(1));
}

/// Starts a server with an environment of EIS for which a script stands in for Java. The script can write to a file
/// whose path it gets in `$STARTED`. The server has a process group of its own, as a command in a terminal has.
#[cfg(unix)]
fn serve_eis_with_java(folder: &Path, script: &str) -> Child {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};

    let (jar, java) = (folder.join("silent.jar"), folder.join("bin/java"));
    fs::create_dir(folder.join("bin")).expect("there is room");
    fs::write(&jar, "").expect("there is room");
    fs::write(&java, format!("#!/bin/sh\n{script}\n")).expect("there is room");
    fs::set_permissions(&java, fs::Permissions::from_mode(0o755)).expect("it is there");
    let mut command = Command::new(SITUATED);
    command.env("JAVA_HOME", folder).env("SITUATED_EIS_HOST", &jar).env("STARTED", folder.join("started"));
    command.args(["serve", "--port", "0", "--log-level", "warn", "--eis"]).arg(&jar).process_group(0);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary can be started")
}

#[cfg(unix)]
#[test]
fn a_signal_ends_an_environment_of_eis_that_is_still_beginning() {
    // Ctrl-C in a terminal goes to all processes of the group.
    for (signal, whole_group) in [("-TERM", ""), ("-INT", "-")] {
        let folder = fresh_directory(&format!("silent_java{signal}"));
        let started = folder.join("started");
        let script = "echo $$ > $STARTED.new\nmv $STARTED.new $STARTED\nexec sleep 120";
        let server = serve_eis_with_java(&folder, script);
        while !started.exists() {
            sleep(Duration::from_millis(10));
        }
        let java = fs::read_to_string(&started).expect("it has written it");
        let kill = |signal: &str, process: &str| {
            let sent = Command::new("kill").args([signal, "--", process.trim_end()]).stderr(Stdio::null()).status();
            sent.expect("there is a `kill`").success()
        };
        assert!(kill(signal, &format!("{whole_group}{}", server.id())));
        let ended = server.wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""), "{signal}");
        assert!(!kill("-KILL", &java), "Java has ended");
    }
}

#[cfg(unix)]
#[test]
fn an_environment_of_eis_that_does_not_begin_is_one_error_without_warnings() {
    let refusal = r#"{"answer":{"number":1,"answer":{"failed":{"reason":"no level 9"}}}}"#;
    let refuse = format!("read task; echo '{refusal}'; exec cat");
    for (script, reason) in [("exit 3", "its process has ended"), (refuse.as_str(), "no level 9")] {
        let folder = fresh_directory("failing_java");
        let ended = serve_eis_with_java(&folder, script).wait_with_output().expect("it ends");
        let said = format!("error: {}: the environment has not begun: {reason}\n", folder.join("silent.jar").display());
        assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned()), (Some(1), said));
    }
}

/// The memory of a process in MiB.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("the system reports it");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") >> 10
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn the_memory_of_removed_environments_goes_back_to_the_system() {
    let serving = Serving::start("");
    let mut client = BufReader::new(TcpStream::connect(&serving.address).expect("it listens"));
    let mut call = |method: &str, params: serde_json::Value| {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(client.get_mut(), "{call}").expect("it reads");
        let mut answer = String::new();
        client.read_line(&mut answer).expect("it answers");
        assert!(answer.contains("\"result\""), "{answer}");
    };
    call("hello", json!({ "protocol": 2, "role": "platform" }));
    let before = memory(serving.child.id());
    let names: Vec<String> = (0..30).map(|number| format!("house{number}")).collect();
    let parameters = json!({ "people": 100_000, "floors": 60 });
    for name in &names {
        call("createEnvironment", json!({ "kind": "elevator", "environment": name, "parameters": parameters }));
    }
    let grown = memory(serving.child.id()) - before;
    assert!(grown > 80, "the environments take only {grown} MiB");
    names.iter().for_each(|name| call("removeEnvironment", json!({ "environment": name })));
    let begin = Instant::now();
    loop {
        let left = memory(serving.child.id()).saturating_sub(before);
        if left < grown / 5 {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "{left} of {grown} MiB are left");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_path_from_a_client_names_no_file() {
    let folder = fresh_directory("path_from_a_client");
    let file = folder.join("secret.map");
    fs::write(&file, "<newMap><secret>").expect("a file");
    let serving = Serving::start("");
    let mut client = BufReader::new(TcpStream::connect(&serving.address).expect("it listens"));
    let parameters = json!({ "map": file });
    let calls = [
        ("hello", json!({ "protocol": 2, "role": "platform" })),
        ("createEnvironment", json!({ "kind": "bw4t", "parameters": parameters })),
        ("examine", json!({ "kind": "bw4t", "document": "map", "parameters": parameters })),
    ];
    let mut answers = String::new();
    for (id, (method, params)) in calls.into_iter().enumerate() {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(client.get_mut(), "{call}").expect("it reads");
        client.read_line(&mut answers).expect("it answers");
    }
    assert_eq!(answers.matches("the map cannot be used").count(), 2, "{answers}");
    assert!(!answers.contains("newMap") && !answers.contains("<secret>"), "{answers}");
}

#[test]
fn clients_cannot_forge_lines_of_the_log() {
    let serving = Serving::start_logging(Command::new(SITUATED), "", "info");
    let mut client = BufReader::new(TcpStream::connect(&serving.address).expect("it listens"));
    let forged = "\n2026-11-22T10:00:00Z  INFO forged\u{1b}[2J\r\u{85}\u{2028}";
    let long = "x".repeat(100_000);
    let calls = [
        ("hello", json!({ "protocol": 2, "role": "observer", "client": format!("{forged}{long}") }), true),
        ("createEnvironment", json!({ "kind": "find-goals", "environment": forged }), false),
        ("createEnvironment", json!({ "kind": "find-goals", "environment": "maze" }), true),
        ("removeEnvironment", json!({ "environment": forged }), false),
        ("removeEnvironment", json!({ "environment": "maze" }), true),
        ("bye", json!({}), true),
    ];
    for (id, (method, params, is_done)) in calls.into_iter().enumerate() {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(client.get_mut(), "{call}").expect("it reads");
        let mut answer = String::new();
        client.read_line(&mut answer).expect("it answers");
        assert_eq!(answer.contains("\"result\""), is_done, "{answer}");
    }
    let (code, log) = serving.stop();
    assert_eq!(code, Some(0), "{log}");
    for said in ["greeted", "begun", "removed", "ended", "closed", "peer=127.0.0.1"] {
        assert!(log.contains(said), "{said} is missing in\n{log}");
    }
    for line in log.lines() {
        assert!(!line.starts_with("2026-11-22T10:00:00Z"), "a client has written this line:\n{line}");
        assert!(!line.chars().any(|letter| letter.is_control() || letter == '\u{2028}'), "{line:?}");
        assert!(line.len() < 2000, "{line}");
    }
}

#[test]
fn all_lines_of_the_log_about_a_request_of_a_model_name_its_address() {
    let serving = Serving::start_logging(Command::new(SITUATED), "find-goals", "debug");
    let call = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": { "name": "dance\n2026-11-22T10:00:00Z  INFO forged", "arguments": {} },
    });
    let body = call.to_string();
    let mut stream = TcpStream::connect(&serving.address).expect("it listens");
    write!(
        stream,
        "POST /mcp/find-goals HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        serving.address,
        body.len()
    )
    .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.contains("`seat` is missing"), "{answer}");
    let (_, log) = serving.stop();
    // The library of the protocol writes these.
    for said in ["received request", "response message", "serve finished"] {
        let line = log.lines().find(|line| line.contains(said)).unwrap_or_else(|| panic!("{said}: {log}"));
        assert!(line.contains(" model{peer=127.0.0.1}:"), "{line}");
    }
    assert!(!log.lines().any(|line| line.starts_with("2026-11-22T10:00:00Z")), "{log}");
}

#[test]
fn tokens_that_can_be_guessed_are_refused_with_advice() {
    let Finished { code, err, .. } = situated("serve find-goals --token act=s3cret --port 0");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("at least 16") && err.contains("`situated token`"), "{err}");
    let made = printed("token");
    let token = made.trim_end();
    assert_eq!(token.len(), 32, "{token}");
    assert_ne!(printed("token"), made);
    let serving = Serving::start(&format!("find-goals --token observe={token}"));
    assert!(!serving.said.contains("no tokens"), "{}", serving.said);
}

//! Number of steps per second of learners that speak the protocol of OpenEnv, and the CPU time of the server for each,
//! beside the server of the package `openenv` with the same world:
//! `PYTHON=venv/bin/python cargo bench --profile wheel -p situated-server --bench learners`
//!
//! The Python needs the packages `openenv`, `situated` and `pettingzoo`; without it, only this server is measured. Both
//! servers are processes, and the same client in Rust drives them. `SITUATED_BINARY` is the command to measure.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// The duration of one measurement.
const SPAN: Duration = Duration::from_millis(1500);

/// Number of repetitions, in turn with the others. The best one counts, since other work on the machine can only slow it
/// down.
const ROUNDS: usize = 5;

/// Numbers of sessions at the same time.
const SESSIONS: [usize; 2] = [1, 16];

/// Number of ticks of the processor clock in a second, as the system counts them in `/proc`.
const TICKS: f64 = 100.0;

/// Time limit for a server to begin.
const BEGIN: Duration = Duration::from_secs(60);

/// A server in a process of its own.
struct Server {
    name: &'static str,
    process: Child,
    /// The address below which the sessions are.
    base: String,
    /// The options of `reset`.
    options: &'static str,
}

/// The cost of a step.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Steps per second.
    rate: f64,
    /// CPU time of the server for a step, in microseconds.
    cpu: f64,
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn main() {
    let python = env::var("PYTHON").ok();
    let mut servers = vec![own(r#"{"entity": "red", "others": "idle", "percepts": "none"}"#, "situated, numbers")];
    servers.push(own(r#"{"entity": "red", "others": "idle"}"#, "situated, numbers and percepts"));
    servers.extend(python.as_deref().map(rival));
    let clients = Builder::new_current_thread().enable_all().build().expect("an executor");
    let mut best = vec![[Cost::default(); SESSIONS.len()]; servers.len()];
    let mut with_python = vec![0.0_f64; servers.len()];
    for _ in 0..ROUNDS {
        for (place, server) in servers.iter().enumerate() {
            for (best, sessions) in best[place].iter_mut().zip(SESSIONS) {
                let cost = clients.block_on(measure(server, sessions));
                best.rate = best.rate.max(cost.rate);
                best.cpu = if best.cpu == 0.0 { cost.cpu } else { best.cpu.min(cost.cpu) };
            }
            if let Some(python) = &python {
                with_python[place] = with_python[place].max(through_python(python, server));
            }
        }
    }
    println!("{:32} {:>9} {:>12} {:>16}", "server", "sessions", "steps/s", "CPU us per step");
    for (server, best) in servers.iter().zip(&best) {
        for (Cost { rate, cpu }, sessions) in best.iter().zip(SESSIONS) {
            println!("{:32} {sessions:>9} {rate:>12.0} {cpu:>16.1}", server.name);
        }
    }
    for (server, rate) in servers.iter().zip(with_python).filter(|(_, rate)| *rate > 0.0) {
        println!("{:32} {:>9} {rate:>12.0}", server.name, "in Python");
    }
}

/// Starts the server of this project.
fn own(options: &'static str, name: &'static str) -> Server {
    let program = env::var("SITUATED_BINARY").unwrap_or_else(|_| "target/wheel/situated".into());
    let mut command = Command::new(&program);
    command.args(["serve", "find-goals", "--port", "0", "--log-level", "error"]).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
    let lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
    let page = lines.map_while(Result::ok).find_map(|line| Some(line.strip_prefix("Page:")?.trim().to_owned()));
    let page = page.expect("it says where it listens");
    let base = format!("{}/openenv/find-goals", page.trim_end_matches('/'));
    Server { name, process, base, options }
}

/// Starts the server of the package `openenv`.
fn rival(python: &str) -> Server {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/learners/rival.py");
    let process = Command::new(python).arg(program).arg(free.port().to_string()).spawn();
    let process = process.unwrap_or_else(|error| panic!("{python}: {error}"));
    let begin = Instant::now();
    while std::net::TcpStream::connect(free).is_err() {
        assert!(begin.elapsed() < BEGIN, "it does not listen");
        thread::sleep(Duration::from_millis(50));
    }
    Server { name: "openenv, numbers", process, base: format!("http://{free}"), options: "{}" }
}

/// Lets learners make steps at the same time.
async fn measure(server: &Server, sessions: usize) -> Cost {
    let sockets = join_all((0..sessions).map(|_| begin(server))).await;
    let (before, start) = (processor_time(server), Instant::now());
    let steps: u64 = join_all(sockets.into_iter().map(|socket| walk(socket, start))).await.into_iter().sum();
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), processor_time(server) - before);
    Cost { rate: steps as f64 / seconds, cpu: cpu * 1e6 / steps as f64 }
}

/// Opens a session, and begins an episode.
async fn begin(server: &Server) -> Socket {
    let address = format!("{}/ws", server.base.replacen("http", "ws", 1));
    let (mut socket, _) = connect_async(address).await.expect("it listens");
    let reset = server.options.replacen('{', r#"{"type": "reset", "data": {"seed": 1, "#, 1) + "}";
    ask(&mut socket, &reset.replace(", }", "}")).await;
    socket
}

/// Makes steps until the time is over. Returns their number.
async fn walk(mut socket: Socket, start: Instant) -> u64 {
    let moves: Vec<String> =
        (0..5).map(|action| format!(r#"{{"type": "step", "data": {{"action": {action}}}}}"#)).collect();
    let mut steps = 0;
    while start.elapsed() < SPAN {
        ask(&mut socket, &moves[steps % moves.len()]).await;
        steps += 1;
    }
    steps as u64
}

async fn ask(socket: &mut Socket, message: &str) {
    socket.send(Message::text(message)).await.expect("it reads");
    let answer = socket.next().await.expect("it answers").expect("no connection breaks");
    let answer = answer.into_text().expect("text");
    assert!(answer.contains(r#""numbers":["#), "{message}: {answer}");
}

/// Returns the number of steps in a second that the client in Python makes.
fn through_python(python: &str, server: &Server) -> f64 {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/learners/client.py");
    let seconds = SPAN.as_secs_f64().to_string();
    let output = Command::new(python).args([program, &server.base, &seconds, server.options]).output();
    let output = output.unwrap_or_else(|error| panic!("{python}: {error}"));
    let said = String::from_utf8_lossy(&output.stdout);
    said.trim().parse().unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Returns the CPU time that a server has used so far, in seconds.
fn processor_time(server: &Server) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", server.process.id())).expect("this is Linux");
    // The name of the program, in brackets, can contain spaces.
    let (_, rest) = stat.rsplit_once(')').expect("a name");
    let ticks = rest.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / TICKS
}

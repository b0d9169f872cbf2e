//! A crowd on one environment: thousands of agents that are connected and told what they perceive but do nothing, and
//! hundreds that act once a second. It prints what a connection costs in memory and how long acting takes, and stops by
//! itself: `cargo bench -p situated-server --bench crowd`

mod field;

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use futures_util::{SinkExt, StreamExt};
use situated_server::{Server, Settings};
use tokio::net::TcpStream;
use tokio::time::{Instant, interval_at, sleep};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use field::{field, kinds};

/// How many agents do nothing.
const IDLE: usize = 5000;

/// How many act.
const ACTIVE: usize = 500;

/// How often each of these acts.
const EVERY: Duration = Duration::from_secs(1);

/// How many times each of them does.
const TIMES: usize = 15;

/// The first of these do not count: everybody has just come.
const WARM_UP: usize = 3;

type Socket = WebSocketStream<TcpStream>;

fn main() {
    if env::args().any(|argument| argument == "--serve") {
        return serve();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("there are threads").block_on(measure());
}

/// The server, in a process of its own, until its input is closed.
fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("there are threads");
    runtime.block_on(async {
        let settings = Settings { address: ([127, 0, 0, 1], 0).into(), ..Settings::default() };
        let server = Server::bind(settings, kinds()).await.expect("there are ports");
        server.create(field(IDLE + ACTIVE)).expect("there is such an environment");
        println!("{}", server.address());
        let closed = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        server.serve(async { drop(closed.await) }).await;
    });
}

async fn measure() {
    let mut process = Command::new(env::current_exe().expect("this is a program"))
        .arg("--serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut line = String::new();
    BufReader::new(process.stdout.take().expect("it is piped")).read_line(&mut line).expect("it says where it is");
    let address: SocketAddr = line.trim().parse().expect("it is an address");
    let before = resident_bytes(&process);
    let begin = Instant::now();
    let mut idle = Vec::with_capacity(IDLE);
    for number in 0..IDLE {
        idle.push(connect(address, number, true).await);
    }
    let after = resident_bytes(&process);
    println!("{IDLE} idle agents have come within {:.1} s", begin.elapsed().as_secs_f64());
    println!("memory a connection: {:.1} KiB", (after - before) as f64 / 1024.0 / IDLE as f64);

    let mut active = Vec::with_capacity(ACTIVE);
    for number in IDLE..IDLE + ACTIVE {
        active.push(connect(address, number, false).await);
    }
    let begin = Instant::now() + Duration::from_secs(1);
    let tasks: Vec<_> = active
        .into_iter()
        .enumerate()
        .map(|(place, socket)| tokio::spawn(live(socket, IDLE + place, begin + EVERY * place as u32 / ACTIVE as u32)))
        .collect();
    let mut latencies = Vec::new();
    for task in tasks {
        latencies.extend(task.await.expect("it does not panic"));
    }
    latencies.sort_unstable();
    let percentile = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!("{ACTIVE} active agents, {} actions, each with what is perceived then", latencies.len());
    println!(
        "latency: 50th percentile {:.2} ms, 99th {:.2} ms, greatest {:.2} ms",
        percentile(0.5),
        percentile(0.99),
        percentile(1.0)
    );
    drop(idle);
    sleep(Duration::from_millis(100)).await;
    drop(process.stdin.take());
    process.wait().expect("it ends");
}

/// Connects an agent with an entity, possibly with a subscription to its percepts.
async fn connect(address: SocketAddr, number: usize, told: bool) -> Socket {
    let stream = TcpStream::connect(address).await.expect("it listens; are there enough file descriptors (ulimit -n)?");
    stream.set_nodelay(true).expect("it is open");
    let (mut socket, _) = client_async(format!("ws://{address}/ws"), stream).await.expect("it is a WebSocket");
    let mut calls = vec![
        r#""hello","params":{"protocol":2,"role":"agent"}"#.to_owned(),
        format!(r#""register","params":{{"environment":"field","agent":"agent{number}"}}"#),
        format!(r#""associate","params":{{"environment":"field","agent":"agent{number}","entity":"entity{number}"}}"#),
    ];
    if told {
        calls.push(format!(
            r#""subscribe","params":{{"to":{{"percepts":{{"environment":"field","agent":"agent{number}"}}}}}}"#
        ));
    }
    for call in calls {
        ask(&mut socket, format!(r#"{{"jsonrpc":"2.0","id":1,"method":{call}}}"#)).await;
    }
    socket
}

/// Acts again and again; how long it took each time.
async fn live(mut socket: Socket, number: usize, begin: Instant) -> Vec<Duration> {
    let mut latencies = Vec::with_capacity(TIMES);
    let mut clock = interval_at(begin, EVERY);
    for time in 0..TIMES {
        clock.tick().await;
        let asked = Instant::now();
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"step","params":{{"environment":"field","agents":[{{"agent":"agent{number}","action":{{"name":"walk","args":[1]}}}}]}}}}"#
        );
        ask(&mut socket, call).await;
        if time >= WARM_UP {
            latencies.push(asked.elapsed());
        }
    }
    latencies
}

/// Calls, and waits for the answer.
async fn ask(socket: &mut Socket, call: String) {
    socket.send(Message::Text(call.into())).await.expect("the server listens");
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) if text.contains("\"id\":") => {
                assert!(!text.contains("\"error\""), "{text}");
                return;
            }
            // A notification.
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// How much memory a process has.
fn resident_bytes(process: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).expect("this is Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("it is a number");
    kibibytes * 1024
}

//! Clients that keep the server busy with requests. The tests count how many of these the server answers while another
//! client waits, or how many steps are skipped, which depends less on the machine than the time.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep, timeout};

use crate::client::{Client, Resident};
use crate::server::{PATIENCE, Running, settings, start};

/// Number of connections without `hello` that keep the server busy.
const STRANGERS: usize = 200;

/// Number of sessions that keep the server busy.
const SESSIONS: usize = 32;

/// Number of costly calls that a session sends at once.
const CALLS: usize = 64;

/// Number of attempts, whose median counts.
const ATTEMPTS: usize = 21;

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Clients that keep the server busy, on a thread of their own.
struct Busy {
    answered: Arc<AtomicUsize>,
    runtime: Option<Runtime>,
}

impl Busy {
    fn new() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        Self { answered: Arc::default(), runtime: Some(runtime) }
    }

    /// Starts a client, which counts the responses that it gets.
    fn start<F: Future<Output = ()> + Send + 'static>(&self, client: impl FnOnce(Arc<AtomicUsize>) -> F) {
        let runtime = self.runtime.as_ref().expect("it runs until this is dropped");
        runtime.spawn(client(self.answered.clone()));
    }

    /// Number of requests that the server has answered.
    fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    /// Waits until the server has answered this number of requests.
    async fn wait_for(&self, count: usize) {
        let begin = Instant::now();
        while self.answered() < count {
            assert!(begin.elapsed() < PATIENCE, "the server has answered only {} requests", self.answered());
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Number of requests that the server answers while something is done: the median of several attempts.
    async fn answered_while(&self, mut act: impl AsyncFnMut()) -> usize {
        let mut counts = Vec::new();
        for _ in 0..ATTEMPTS {
            let before = self.answered();
            act().await;
            counts.push(self.answered() - before);
        }
        counts.sort_unstable();
        counts[ATTEMPTS / 2]
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// Sends requests again and again without waiting for the responses. Each of these bytes in the responses counts for a number of
/// answered requests.
async fn pipeline(stream: TcpStream, requests: Vec<u8>, (sign, each): (u8, usize), answered: Arc<AtomicUsize>) {
    let (mut reader, mut writer) = stream.into_split();
    let sending = async { while writer.write_all(&requests).await.is_ok() {} };
    let counting = async {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(read @ 1..) = reader.read(&mut buffer).await {
            let signs = buffer[..read].iter().filter(|byte| **byte == sign).count();
            answered.fetch_add(each * signs, Ordering::Relaxed);
        }
    };
    tokio::join!(sending, counting);
}

/// Makes a call again and again, each time after the response.
async fn repeat(mut stream: TcpStream, call: String, answered: Arc<AtomicUsize>) {
    let mut buffer = vec![0; 64 << 10];
    while stream.write_all(call.as_bytes()).await.is_ok() {
        loop {
            match stream.read(&mut buffer).await {
                Ok(read @ 1..) if buffer[..read].ends_with(b"\n") => break,
                Ok(1..) => {}
                _ => return,
            }
        }
        answered.fetch_add(1, Ordering::Relaxed);
    }
}

/// Requests the health of the server, from this address of this machine.
async fn check_health(server: &Running, from: Ipv4Addr) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((from, 0).into()).expect("an address of this machine");
    let mut stream = socket.connect(server.address).await.expect("the server listens");
    stream.write_all(REQUEST).await.expect("the server reads");
    let mut response = vec![0; 1024];
    let read = timeout(PATIENCE, stream.read(&mut response)).await.expect("it answers").expect("it is connected");
    assert!(response[..read].ends_with(b"ok\n"), "{}", String::from_utf8_lossy(&response));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_clients_do_not_wait_for_pipelined_requests_of_others() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let busy = Busy::new();
    for _ in 0..STRANGERS {
        let stream = TcpStream::connect(server.address).await.expect("the server listens");
        busy.start(|answered| pipeline(stream, REQUEST.repeat(100), (b'H', 1), answered));
    }
    busy.wait_for(4 * STRANGERS).await;

    let before = busy.answered_while(async || drop(Client::platform(&server).await.get("ping", json!({})).await)).await;
    assert!(before < STRANGERS, "the server answered {before} other requests before a new agent");
    let before = busy.answered_while(async || check_health(&server, Ipv4Addr::LOCALHOST).await).await;
    assert!(before < 4 * STRANGERS, "the server answered {before} requests before one from the same address");
    // Other systems have only one address for themselves.
    if cfg!(target_os = "linux") {
        let before = busy.answered_while(async || check_health(&server, Ipv4Addr::new(127, 0, 0, 2)).await).await;
        assert!(before < STRANGERS, "the server answered {before} requests before one from another address");
    }
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_does_not_wait_for_all_costly_calls_of_other_sessions() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let busy = Busy::new();
    for number in 0..SESSIONS {
        let mut client = Client::platform(&server).await;
        // Each has an environment of its own, so that only the threads of the server are shared.
        let environment = format!("other{number}");
        client.get("createEnvironment", json!({ "kind": "find-goals", "environment": environment })).await;
        let params = json!({ "environment": environment });
        let call = |id| json!({ "jsonrpc": "2.0", "id": id, "method": "describe", "params": params });
        let calls: Vec<Value> = (0..CALLS).map(call).collect();
        // Half of the sessions send batches, which have one line as response.
        let (text, each) = match number % 2 {
            0 => (format!("{}\n", json!(calls)), CALLS),
            _ => (calls.iter().map(|call| format!("{call}\n")).collect(), 1),
        };
        let stream = client.stream.into_inner();
        busy.start(|answered| pipeline(stream, text.into_bytes(), (b'\n', each), answered));
    }
    busy.wait_for(SESSIONS * CALLS).await;
    let before = busy.answered_while(async || resident.check().await).await;
    assert!(before < SESSIONS * CALLS / 8, "the server answered {before} other calls before a step");
}

/// Number of walkers that perceive all others again and again.
const WALKERS: usize = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_keeps_its_speed_while_a_crowd_perceives() {
    let server = start(settings()).await;
    let mut manager = Client::platform(&server).await;
    // Slow, since other tests may run on the same cores.
    let pace = json!({ "realTime": { "stepsPerSecond": 10.0 } });
    let parameters = json!({ "walkers": WALKERS });
    let create = json!({ "kind": "square", "parameters": parameters, "pace": pace, "start": true });
    manager.get("createEnvironment", create).await;
    let mut walkers = Vec::new();
    for number in 0..WALKERS {
        let mut client = Client::platform(&server).await;
        let (agent, entity) = (format!("agent{number}"), format!("walker{number}"));
        client.get("register", json!({ "environment": "square", "agent": agent })).await;
        client.get("associate", json!({ "environment": "square", "agent": agent, "entity": entity })).await;
        let params = json!({ "environment": "square", "agent": agent });
        let call = json!({ "jsonrpc": "2.0", "id": 0, "method": "perceive", "params": params });
        walkers.push((client.stream.into_inner(), format!("{call}\n")));
    }
    let steps = async |manager: &mut Client| {
        let status = manager.get("status", json!({ "environment": "square" })).await["status"].clone();
        let (made, skipped) = (status["moment"]["step"].as_u64(), status["skippedSteps"].as_u64());
        (made.expect("a number"), skipped.unwrap_or(0))
    };
    let (made_before, skipped_before) = steps(&mut manager).await;
    let busy = Busy::new();
    for (stream, call) in walkers {
        busy.start(|answered| repeat(stream, call, answered));
    }
    busy.wait_for(3 * WALKERS).await;
    let (made, skipped) = loop {
        let (made, skipped) = steps(&mut manager).await;
        let (made, skipped) = (made - made_before, skipped - skipped_before);
        if made + skipped >= 5 {
            break (made, skipped);
        }
        sleep(Duration::from_millis(50)).await;
    };
    assert!(skipped < made, "{made} steps were made, and {skipped} skipped for lack of time");
}

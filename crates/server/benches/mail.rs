//! Messages between agents of one server over TCP, and the memory of mailboxes: `cargo bench --profile wheel -p situated-server --bench mail`
//!
//! - messages per second from one agent to another, with and without data: the sender waits only while it is far ahead of
//!   the receiver, so that the mailbox never fills, and the receiver acknowledges each notification;
//! - the time from sending a message to receiving it, at 5,000 messages per second;
//! - round trips per second between agents of two servers over HTTP, with 1 and with 64 messages under way; beside them those
//!   of two platforms of the real JADE, with `JADE_CLASSPATH=jade.jar:commons-codec.jar`;
//! - memory of 10,000 mailboxes, empty and with a message each.
//!
//! The server and the clients share the machine.

#[path = "mail/clients.rs"]
mod clients;
#[path = "mail/jade.rs"]
mod jade;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use situated_server::{DataSettings, Kinds, PeerPlatform, PlatformSettings, Proof, Server, Settings, Token};
use tokio::runtime::{Builder, Runtime};

use clients::{Receiver, Sender};

/// Number of messages in a measurement of the throughput.
const MESSAGES: usize = 200_000;

/// Number of messages by which the sender may be ahead of the receiver, and after how many it looks. A mailbox keeps
/// 10,000.
const AHEAD: usize = 4096;
const BURST: usize = 64;

/// Number of repetitions. The best one counts, since other work on the machine can only slow it down.
const ROUNDS: usize = 3;

/// Number of messages per second when their time is measured.
const PACE: usize = 5000;

/// Number of messages whose time is measured.
const TIMED: usize = 5 * PACE;

const MAILBOXES: usize = 10_000;

/// Number of round trips over HTTP, and of messages that are under way.
const ROUND_TRIPS: usize = 5000;
const UNDER_WAY: [usize; 2] = [1, 64];

fn main() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("the system has threads");
    measure_memory(&runtime);
    measure_round_trips(&runtime);
    let folder = env::temp_dir().join(format!("situated-mail-{}", process::id()));
    if let Some(classpath) = env::var_os("JADE_CLASSPATH") {
        jade::measure(&classpath, &folder.join("jade"), [(); 4].map(|()| free_port()));
    }
    let data = |sync| DataSettings { folder: folder.join(if sync { "sync" } else { "data" }), sync, discard: false };
    for (name, data) in
        [("without data", None), ("with data", Some(data(false))), ("with data, synced", Some(data(true)))]
    {
        let address = serve(&runtime, Settings { data, ..settings(0) });
        let rates = (0..ROUNDS).map(|round| throughput(address, &format!("fast{round}")));
        println!("{name}: {:.0} messages/s", rates.fold(0.0, f64::max));
        let mut times = times(address);
        times.sort_unstable();
        let [half, most, last] = [TIMED / 2, TIMED * 99 / 100, TIMED - 1].map(|place| times[place]);
        println!("{name}: at {PACE} messages/s, 50th percentile {half:.2?}, 99th {most:.2?}, longest {last:.2?}");
    }
    // A leftover folder does no harm.
    let _ = fs::remove_dir_all(folder);
}

/// The settings of a server at this port of this machine, or any.
fn settings(port: u16) -> Settings {
    let mut settings = Settings { address: ([127, 0, 0, 1], port).into(), ..Settings::default() };
    settings.limits.requests_per_second = u32::MAX;
    settings
}

fn serve(runtime: &Runtime, settings: Settings) -> SocketAddr {
    runtime.block_on(async {
        let server = Server::bind(settings, Kinds::default()).await.expect("a free port");
        server.restore().expect("there is nothing");
        let address = server.address();
        tokio::spawn(server.serve(std::future::pending()));
        address
    })
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("it listens").port()
}

/// Measures round trips per second between agents of two servers.
fn measure_round_trips(runtime: &Runtime) {
    let (market, farm) = (free_port(), free_port());
    let platform = |port, name: &str, (peer, at): (&str, u16)| {
        let form = "bit-efficient".parse().expect("it is a form");
        let address = format!("http://127.0.0.1:{at}/acc");
        let proof = Proof::Secret(Token::new("a-secret-of-two-servers").expect("long enough"));
        let peers = vec![PeerPlatform { name: peer.into(), address, form, proof, registers: false }];
        let platform = PlatformSettings { name: name.into(), address: None, peers, peer_certificates: None };
        serve(runtime, Settings { platform: Some(platform), ..settings(port) })
    };
    let (market, farm) = (platform(market, "market", ("farm", farm)), platform(farm, "farm", ("market", market)));
    let (mut there, mut back) = (Receiver::open(farm, "there"), Sender::open(farm, "back"));
    let answering = thread::spawn(move || {
        let mut answered = 0;
        while answered < UNDER_WAY.len() * ROUND_TRIPS {
            let received = there.receive();
            received.iter().for_each(|content| back.send("home@market", content));
            back.flush();
            answered += received.len();
        }
    });
    let (mut asker, mut home) = (Sender::open(market, "asker"), Receiver::open(market, "home"));
    for under_way in UNDER_WAY {
        let begin = Instant::now();
        let (mut sent, mut received) = (0, 0);
        while received < ROUND_TRIPS {
            while sent < ROUND_TRIPS && sent - received < under_way {
                asker.send("there@farm", "plums and peaches");
                sent += 1;
            }
            asker.flush();
            received += home.receive().len();
        }
        let rate = ROUND_TRIPS as f64 / begin.elapsed().as_secs_f64();
        println!("between two servers over HTTP, {under_way} under way: {rate:.0} round trips/s");
    }
    answering.join().expect("it has answered all");
}

/// Messages per second between two agents with names of their own.
fn throughput(address: SocketAddr, name: &str) -> f64 {
    let to = format!("to-{name}");
    let mut receiver = Receiver::open(address, &to);
    let mut sender = Sender::open(address, &format!("from-{name}"));
    let received = Arc::new(AtomicUsize::new(0));
    let arrived = received.clone();
    let begin = Instant::now();
    let sending = thread::spawn(move || {
        for number in 0..MESSAGES {
            if number % BURST == 0 {
                sender.flush();
                while number - arrived.load(Ordering::Relaxed) > AHEAD {
                    thread::sleep(Duration::from_micros(50));
                }
            }
            sender.send(&to, "plums and peaches");
        }
        sender.wait();
    });
    while received.load(Ordering::Relaxed) < MESSAGES {
        received.fetch_add(receiver.receive().len(), Ordering::Relaxed);
    }
    let elapsed = begin.elapsed();
    sending.join().expect("it has sent all");
    MESSAGES as f64 / elapsed.as_secs_f64()
}

/// The times from sending messages to receiving them.
fn times(address: SocketAddr) -> Vec<Duration> {
    let mut receiver = Receiver::open(address, "to-timed");
    let mut sender = Sender::open(address, "from-timed");
    let begin = Instant::now();
    let sending = thread::spawn(move || {
        for number in 0..TIMED {
            let due = Duration::from_secs(1) * number as u32 / PACE as u32;
            thread::sleep(due.saturating_sub(begin.elapsed()));
            sender.send("to-timed", &begin.elapsed().as_nanos().to_string());
            sender.flush();
        }
        sender.wait();
    });
    let mut times = Vec::with_capacity(TIMED);
    while times.len() < TIMED {
        let sent = receiver.receive();
        let now = begin.elapsed();
        times.extend(sent.iter().map(|sent| now - Duration::from_nanos(sent.parse().expect("a time"))));
    }
    sending.join().expect("it has sent all");
    times
}

fn measure_memory(runtime: &Runtime) {
    let address = serve(runtime, settings(0));
    let mut sender = Sender::open(address, "sender");
    // The first messages make the buffers of the connection.
    (0..1000).for_each(|_| sender.send("sender", "plums and peaches"));
    sender.wait();
    let before = resident_bytes();
    (0..MAILBOXES - 1).for_each(|number| sender.open_mailbox(&format!("mailbox-{number}")));
    sender.wait();
    let opened = resident_bytes();
    (0..MAILBOXES - 1).for_each(|number| sender.send(&format!("mailbox-{number}"), "plums and peaches"));
    sender.wait();
    let full = resident_bytes();
    let each = |bytes: u64| bytes as f64 / 1024.0 / MAILBOXES as f64;
    println!(
        "{MAILBOXES} mailboxes: {:.2} KiB each, {:.2} KiB with a message",
        each(opened - before),
        each(full - before)
    );
}

/// The memory of this process: the server, and a client that keeps nothing.
fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("it is a number");
    kibibytes * 1024
}

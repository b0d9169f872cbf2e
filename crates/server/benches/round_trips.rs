//! Number of round trips per second of agents that act and perceive in one frame, compared with an echo of 64 bytes
//! over plain TCP, with `ping`, and with bare sockets that carry as many bytes:
//! `cargo bench --profile wheel -p situated-server --bench round_trips`
//!
//! There are two measurements. In the first, clients share the threads of the server, so that only work counts. In
//! the second, clients have their own threads, so that threads also wait for and wake each other. The second also
//! yields the CPU time of the server's threads alone, and from this the number of agents that one core of a server
//! can serve.

#[path = "round_trips/clients.rs"]
mod clients;
mod field;
#[path = "round_trips/socket.rs"]
mod socket;

use std::net::SocketAddr;
use std::time::{Duration, Instant};
use std::{env, fs, process};

use situated_server::{DataSettings, Server, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use clients::{Client, Echo, Lines, WebSocket};
use field::{field, kinds};

/// The name of the server's threads.
const SERVER: &str = "server";

/// The duration of one measurement.
const SPAN: Duration = Duration::from_millis(1000);

/// Number of repetitions of each measurement, in turn with the others. The best one counts, since other work on the
/// machine can only slow it down.
const ROUNDS: usize = 5;

/// Number of connections in measurements with many.
const MANY: usize = 64;

/// Number of agents that act in one frame, in measurements with batches.
const BATCH: usize = 100;

fn main() {
    let serving = runtime(SERVER);
    let folder = env::temp_dir().join(format!("situated-round-trips-{}", process::id()));
    let data = DataSettings { folder: folder.clone(), sync: false, discard: false };
    let to = serving.block_on(async { [echo().await, serve(None).await, serve(Some(data)).await] });
    let sizes = serving.block_on(async { Lines::connect(to[1], 0, 1).await.sizes().await });
    let mut best = [[Cost::default(); MEASUREMENTS.len()]; 2];
    for _ in 0..ROUNDS {
        for (place, measurement) in MEASUREMENTS.iter().enumerate() {
            for (best, cost) in best
                .iter_mut()
                .zip([serving.block_on(cost(measurement, to)), runtime("clients").block_on(cost(measurement, to))])
            {
                best[place].improve(cost);
            }
        }
    }
    print("clients on the threads of the server", &best[0]);
    print("clients on threads of their own", &best[1]);
    print_server_alone(&best[1]);
    print_sockets(sizes);
    // A leftover folder does no harm.
    let _ = fs::remove_dir_all(folder);
}

/// The cost of a measurement.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Round trips per second.
    rate: f64,
    /// CPU time of a round trip in microseconds, of client and server together; 0 if not measured.
    cpu: f64,
    /// CPU time of the server's threads alone, which clients may share.
    server: f64,
}

impl Cost {
    fn improve(&mut self, other: Cost) {
        let least = |best: f64, cost: f64| if best == 0.0 { cost } else { best.min(cost) };
        self.rate = self.rate.max(other.rate);
        self.cpu = least(self.cpu, other.cpu);
        self.server = least(self.server, other.server);
    }
}

fn print(title: &str, costs: &[Cost; MEASUREMENTS.len()]) {
    println!("\n{title}");
    println!(
        "{:<18} {:>11} {:>7} {:>15} {:>11} {:>8} {:>11} {:>13}",
        "", "connections", "agents", "round trips/s", "agents/s", "of echo", "CPU, us", "over echo, us"
    );
    for ((name, connections, agents, _), Cost { rate, cpu, .. }) in MEASUREMENTS.iter().zip(costs) {
        let echo = if *connections == 1 { costs[0] } else { costs[3] };
        let served = rate * *agents as f64;
        println!(
            "{name:<18} {connections:>11} {agents:>7} {rate:>15.0} {served:>11.0} {:>8.2} {cpu:>11.2} {:>13.2}",
            rate / echo.rate,
            cpu - echo.cpu
        );
    }
    println!(
        "agents served in batches of {BATCH}, relative to agents served singly: {:.1} (TCP lines), {:.1} (WebSocket)",
        costs[6].rate * BATCH as f64 / costs[1].rate,
        costs[7].rate * BATCH as f64 / costs[2].rate
    );
    let [one, many, batch] = [(8, 1), (9, 4), (10, 6)].map(|(kept, other)| costs[kept].rate / costs[other].rate);
    println!(
        "round trips with data, relative to without: {one:.2} (one connection), {many:.2} ({MANY} connections), {batch:.2} (a batch)"
    );
}

/// Prints the CPU time of the server's threads, when clients have their own threads.
fn print_server_alone(costs: &[Cost; MEASUREMENTS.len()]) {
    println!(
        "\nthe server alone\n{:<18} {:>11} {:>7} {:>11} {:>16}",
        "", "connections", "agents", "CPU, us", "agents/s a core"
    );
    for ((name, connections, agents, _), Cost { server, .. }) in MEASUREMENTS.iter().zip(costs) {
        let served = *agents as f64 / server * 1e6;
        println!("{name:<18} {connections:>11} {agents:>7} {server:>11.2} {served:>16.0}");
    }
}

/// Measures and prints round trips without `situated`. A request and a response have these lengths in bytes.
fn print_sockets(sizes: (usize, usize)) {
    println!("\nbare sockets with a thread at each end, {} bytes there and {} back", sizes.0, sizes.1);
    println!("{:<18} {:>11} {:>23}", "", "connections", "round trips/s");
    for connections in [1, MANY] {
        let best = (0..ROUNDS).map(|_| socket::rate(connections, sizes)).fold(0.0, f64::max);
        println!("{:<18} {connections:>11} {best:>23.0}", "bare socket");
    }
}

/// The CPU time that threads have used, in nanoseconds.
#[derive(Clone, Copy, Default)]
struct CpuTime {
    /// All threads of this process.
    all: u64,
    /// The threads of the server.
    server: u64,
}

impl CpuTime {
    fn now() -> Self {
        let mut time = Self::default();
        for thread in fs::read_dir("/proc/self/task").expect("this is Linux").flatten() {
            let read = |file| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
            let used = read("schedstat").split_whitespace().next().and_then(|used| used.parse().ok()).unwrap_or(0);
            time.all += used;
            time.server += if read("comm").trim() == SERVER { used } else { 0 };
        }
        time
    }
}

/// A measurement: its name, connections, agents per frame, and kind of client.
type Measurement = (&'static str, usize, usize, Kind);

const MEASUREMENTS: [Measurement; 13] = [
    ("echo of 64 bytes", 1, 1, Kind::Echo),
    ("TCP lines", 1, 1, Kind::Lines),
    ("WebSocket", 1, 1, Kind::WebSocket),
    ("echo of 64 bytes", MANY, 1, Kind::Echo),
    ("TCP lines", MANY, 1, Kind::Lines),
    ("WebSocket", MANY, 1, Kind::WebSocket),
    ("TCP lines", 1, BATCH, Kind::Lines),
    ("WebSocket", 1, BATCH, Kind::WebSocket),
    ("TCP lines, data", 1, 1, Kind::Kept),
    ("TCP lines, data", MANY, 1, Kind::Kept),
    ("TCP lines, data", 1, BATCH, Kind::Kept),
    ("ping", 1, 1, Kind::Ping),
    ("ping", MANY, 1, Kind::Ping),
];

enum Kind {
    Echo,
    /// Lines that call `ping`.
    Ping,
    Lines,
    WebSocket,
    /// Lines to a server that stores everything.
    Kept,
}

/// The cost of a round trip to the echo, a server, or a server with data, measured once.
async fn cost(measurement: &Measurement, [echo, server, kept]: [SocketAddr; 3]) -> Cost {
    let (_, connections, agents, kind) = measurement;
    match kind {
        Kind::Echo => measure(*connections, async |_| Echo::connect(echo).await).await,
        Kind::Ping => measure(*connections, async |n| Lines::to_ping(server, n).await).await,
        Kind::Lines => measure(*connections, async |n| Lines::connect(server, n, *agents).await).await,
        Kind::Kept => measure(*connections, async |n| Lines::connect(kept, n, *agents).await).await,
        Kind::WebSocket => measure(*connections, async |n| WebSocket::connect(server, n, *agents).await).await,
    }
}

fn runtime(threads: &str) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name(threads)
        .enable_all()
        .build()
        .expect("the system has threads")
}

/// Serves an echo.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(async move {
                let mut bytes = [0; 64];
                while stream.read_exact(&mut bytes).await.is_ok() && stream.write_all(&bytes).await.is_ok() {}
            });
        }
    });
    address
}

/// Serves an environment with an entity for each agent.
async fn serve(data: Option<DataSettings>) -> SocketAddr {
    let mut settings =
        Settings { address: ([127, 0, 0, 1], 0).into(), grace: Duration::ZERO, data, ..Settings::default() };
    settings.limits.requests_per_second = u32::MAX;
    let server = Server::bind(settings, kinds()).await.expect("a free port");
    server.create(field(MANY.max(BATCH))).expect("there is such an environment");
    let address = server.address();
    tokio::spawn(server.serve(std::future::pending()));
    address
}

/// Measures round trips of some clients, each of which makes one round trip at a time.
async fn measure<C: Client>(connections: usize, connect: impl AsyncFn(usize) -> C) -> Cost {
    let mut clients = Vec::new();
    for number in 0..connections {
        let mut client = connect(number).await;
        client.trip().await;
        clients.push(client);
    }
    let (begin, before) = (Instant::now(), CpuTime::now());
    let tasks: Vec<_> = clients
        .into_iter()
        .map(|mut client| {
            tokio::spawn(async move {
                let mut trips = 0_u64;
                while begin.elapsed() < SPAN {
                    client.trip().await;
                    trips += 1;
                }
                client.leave().await;
                trips
            })
        })
        .collect();
    let mut trips = 0;
    for task in tasks {
        trips += task.await.expect("no panic");
    }
    let after = CpuTime::now();
    let each = |nanoseconds: u64| nanoseconds as f64 / 1_000.0 / trips as f64;
    Cost {
        rate: trips as f64 / SPAN.as_secs_f64(),
        cpu: each(after.all - before.all),
        server: each(after.server - before.server),
    }
}

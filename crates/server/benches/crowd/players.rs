//! Agents, each with its own entity and connection.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, interval_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

/// Time between two actions of an agent.
const EVERY: Duration = Duration::from_secs(1);

/// Number of actions of each agent.
const TIMES: usize = 22;

/// Number of first actions that do not count. All agents have just connected, and robots that perceived something a long
/// time ago perceive everything again.
const WARM_UP: usize = 10;

/// An agent.
pub(crate) struct Player {
    socket: WebSocketStream<TcpStream>,
    environment: &'static str,
    name: String,
}

impl Player {
    /// Connects an agent with an entity, possibly with a subscription to its percepts.
    pub(crate) async fn connect(
        address: SocketAddr,
        environment: &'static str,
        entity: &str,
        is_subscribed: bool,
    ) -> Self {
        let stream = TcpStream::connect(address).await.expect("it listens; are there enough files (ulimit -n)?");
        stream.set_nodelay(true).expect("it is open");
        let (socket, _) = client_async(format!("ws://{address}/ws"), stream).await.expect("it is a WebSocket");
        let name = format!("agent of {entity}");
        let who = format!(r#""environment":"{environment}","agent":"{name}""#);
        let mut player = Self { socket, environment, name };
        player.ask(r#""hello","params":{"protocol":2,"role":"agent"}"#).await;
        player.ask(&format!(r#""register","params":{{{who}}}"#)).await;
        player.ask(&format!(r#""associate","params":{{{who},"entity":"{entity}"}}"#)).await;
        if is_subscribed {
            player.ask(&format!(r#""subscribe","params":{{"to":{{"percepts":{{{who}}}}}}}"#)).await;
        }
        player
    }

    /// Acts, and perceives the changes.
    pub(crate) async fn step(&mut self, action: &str) {
        let Self { environment, name, .. } = self;
        let turn = format!(r#"{{"agent":"{name}","action":{action}}}"#);
        let call = format!(r#""step","params":{{"environment":"{environment}","agents":[{turn}]}}"#);
        self.ask(&call).await;
    }

    /// Makes a call and waits for the answer.
    async fn ask(&mut self, call: &str) {
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":{call}}}"#);
        self.socket.send(Message::Text(call.into())).await.expect("the server listens");
        loop {
            match self.socket.next().await {
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
}

/// Lets all players act once a second, spread over the second. Prints the latencies from the action to the perception
/// after it.
pub(crate) async fn play(players: Vec<Player>, action: fn(player: usize, time: usize) -> String) {
    let (count, begin) = (players.len(), Instant::now() + EVERY);
    let live = |(number, mut player): (usize, Player)| {
        let mut clock = interval_at(begin + EVERY * number as u32 / count as u32, EVERY);
        tokio::spawn(async move {
            let mut latencies = Vec::with_capacity(TIMES);
            for time in 0..TIMES {
                clock.tick().await;
                let asked = Instant::now();
                player.step(&action(number, time)).await;
                if time >= WARM_UP {
                    latencies.push(asked.elapsed());
                }
            }
            latencies
        })
    };
    let tasks: Vec<_> = players.into_iter().enumerate().map(live).collect();
    let mut latencies = Vec::new();
    for task in tasks {
        latencies.extend(task.await.expect("no panic"));
    }
    println!("{count} active agents, {} actions, each with the perception after it", latencies.len());
    print_latencies("latency", latencies);
}

/// Prints percentiles of latencies.
pub(crate) fn print_latencies(what: &str, mut latencies: Vec<Duration>) {
    latencies.sort_unstable();
    let percentile = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!(
        "{what}: 50th percentile {:.2} ms, 99th {:.2} ms, maximum {:.2} ms",
        percentile(0.5),
        percentile(0.99),
        percentile(1.0)
    );
}

//! Walkers that all see each other, and perceive again as soon as they have the response. That is more than a server can
//! answer in each step.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use situated::interface::Moment;
use situated_server::Kinds;
use situated_toys::square::Square;
use situated_wire::methods::CreateEnvironment;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::players::print_latencies;

/// Number of walkers.
pub(crate) const WALKERS: usize = 1_000;

/// Time before the measurement, and of the measurement.
const WARM_UP: Duration = Duration::from_secs(5);
const MEASURED: Duration = Duration::from_secs(10);

pub(crate) fn kinds() -> Kinds {
    Kinds::new().with_environment::<Square>()
}

/// The environment.
pub(crate) fn environment() -> CreateEnvironment {
    let parameters = [("walkers".to_owned(), (WALKERS as i64).into())];
    CreateEnvironment { parameters: parameters.into(), start: true, ..CreateEnvironment::new("square") }
}

/// A connection over TCP.
struct Walker(BufReader<TcpStream>, String);

impl Walker {
    async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("it listens; are there enough files (ulimit -n)?");
        stream.set_nodelay(true).expect("it is open");
        let mut walker = Self(BufReader::new(stream), String::new());
        walker.ask(r#""hello","params":{"protocol":2,"role":"platform"}"#).await;
        walker
    }

    /// Makes a call and returns the response.
    async fn ask(&mut self, call: &str) -> &str {
        let Self(stream, line) = self;
        let call = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":{call}}}\n");
        stream.get_mut().write_all(call.as_bytes()).await.expect("the server reads");
        line.clear();
        stream.read_line(line).await.expect("the server answers");
        assert!(!line.contains("\"error\""), "{line}");
        line
    }
}

pub(crate) async fn measure(address: SocketAddr) {
    let mut walkers = Vec::with_capacity(WALKERS);
    for number in 0..WALKERS {
        let mut walker = Walker::connect(address).await;
        let agent = format!(r#""environment":"square","agent":"agent{number}""#);
        walker.ask(&format!(r#""register","params":{{{agent}}}"#)).await;
        walker.ask(&format!(r#""associate","params":{{{agent},"entity":"walker{number}"}}"#)).await;
        walkers.push((walker, format!(r#""perceive","params":{{{agent}}}"#)));
    }
    let mut manager = Walker::connect(address).await;
    let begin = Instant::now() + WARM_UP;
    let perceive = |(mut walker, call): (Walker, String)| {
        tokio::spawn(async move {
            let mut latencies = Vec::new();
            while Instant::now() < begin + MEASURED {
                let asked = Instant::now();
                walker.ask(&call).await;
                if asked >= begin {
                    latencies.push(asked.elapsed());
                }
            }
            latencies
        })
    };
    let tasks: Vec<_> = walkers.into_iter().map(perceive).collect();
    sleep(WARM_UP).await;
    let first = moment(&mut manager).await;
    sleep(MEASURED / 2).await;
    let last = moment(&mut manager).await;
    let latencies = join_all(tasks).await.into_iter().flat_map(|latencies| latencies.expect("no panic"));
    let latencies: Vec<Duration> = latencies.collect();
    println!("{WALKERS} walkers that see each other, and perceive without a pause: {} perceptions", latencies.len());
    println!("{:.1} of 50 steps a second", 1000.0 * (last.step - first.step) as f64 / (last.time - first.time) as f64);
    print_latencies("latency of a perception", latencies);
}

/// Returns the moment of the environment.
async fn moment(manager: &mut Walker) -> Moment {
    let answer = manager.ask(r#""status","params":{"environment":"square"}"#).await;
    let answer: Value = serde_json::from_str(answer).expect("JSON");
    serde_json::from_value(answer["result"]["status"]["moment"].clone()).expect("a moment")
}

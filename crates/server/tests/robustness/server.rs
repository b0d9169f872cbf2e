//! A server with real sockets, in the process of the test.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use situated_find_goals::FindGoals;
use situated_server::{Kinds, Server, Settings, Token};
use situated_toys::square::Square;
use situated_toys::yard::Yard;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// Time limit for everything that happens at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// The usual settings, on any free port.
pub(crate) fn settings() -> Settings {
    Settings { address: (Ipv4Addr::LOCALHOST, 0).into(), ..Settings::default() }
}

/// The token of this name.
pub(crate) fn token(name: &str) -> Token {
    Token::new(format!("the token to {name} with")).expect("it is long enough")
}

/// Starts a server that can create environments of the kinds `find-goals`, `square` and `yard`.
pub(crate) async fn start(settings: Settings) -> Running {
    let kinds = Kinds::new().with_environment::<FindGoals>().with_environment::<Square>().with_environment::<Yard>();
    let server = Server::bind(settings, kinds).await.expect("a port is free");
    let (stop, stopped) = oneshot::channel();
    let address = server.address();
    let task = tokio::spawn(server.serve(async {
        // A test that fails stops the server as well.
        let _ = stopped.await;
    }));
    Running { address, stop, task }
}

impl Running {
    /// Returns the response to an HTTP request.
    pub(crate) async fn http(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("the server listens");
        let mut answer = Vec::new();
        let asked = async {
            stream.write_all(request.as_bytes()).await?;
            stream.read_to_end(&mut answer).await
        };
        // A rejected client gets no response, and may find the connection closed.
        let _ = timeout(PATIENCE, asked).await.expect("it closes");
        String::from_utf8(answer).expect("it says text")
    }

    /// Returns the response to a request for this path.
    pub(crate) async fn get(&self, path: &str) -> String {
        let address = self.address;
        // Grants the right to manage on servers with tokens; others ignore it.
        let token = format!("Authorization: Bearer {}", token("manage").as_str());
        self.http(&format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{token}\r\nConnection: close\r\n\r\n")).await
    }

    /// Returns the value of a metric.
    pub(crate) async fn metric(&self, name: &str) -> i64 {
        let metrics = self.get("/metrics").await;
        value(&metrics, name).unwrap_or_else(|| panic!("no {name} in\n{metrics}"))
    }

    /// Waits until the server has only this number of connections and sessions.
    pub(crate) async fn comes_back_to(&self, connections: i64, sessions: i64) {
        let begin = Instant::now();
        loop {
            // While there are too many connections, the server does not answer.
            let metrics = self.get("/metrics").await;
            let now = (value(&metrics, "situated_connections"), value(&metrics, "situated_sessions"));
            if now == (Some(connections), Some(sessions)) {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "connections and sessions are left: {now:?}");
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops the server, and waits until it has stopped.
    pub(crate) async fn stop(self) {
        // The server may have stopped by itself; the next line would report that.
        let _ = self.stop.send(());
        timeout(PATIENCE, self.task).await.expect("it ends in time").expect("no panic");
    }
}

/// The value of a metric, if it exists.
fn value(metrics: &str, name: &str) -> Option<i64> {
    metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

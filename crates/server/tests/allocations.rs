//! A guard against growth of the number of allocations per request, counted over a socket with a client that allocates nothing.

#[path = "../benches/field/mod.rs"]
mod field;

use allocation_counter::measure;
use situated_server::{Server, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use field::{field, kinds};

/// Number of requests over which allocations are averaged.
const REQUESTS: u64 = 100;

struct Client {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Client {
    async fn ask(&mut self, line: &[u8]) {
        self.stream.write_all(line).await.expect("the server reads");
        self.answer.clear();
        while self.answer.last() != Some(&b'\n') {
            assert_ne!(self.stream.read_buf(&mut self.answer).await.expect("the server answers"), 0);
        }
        assert!(!self.answer.windows(7).any(|part| part == b"\"error\""), "{}", String::from_utf8_lossy(&self.answer));
    }
}

#[test]
fn requests_allocate_little() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut client = runtime.block_on(async {
        let settings = Settings { address: ([127, 0, 0, 1], 0).into(), ..Settings::default() };
        let server = Server::bind(settings, kinds()).await.expect("a free port");
        server.create(field(2)).expect("there is such an environment");
        let stream = TcpStream::connect(server.address()).await.expect("the server listens");
        stream.set_nodelay(true).expect("it is open");
        tokio::spawn(server.serve(std::future::pending()));
        let mut client = Client { stream, answer: Vec::with_capacity(1 << 16) };
        client.ask(b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"hello\",\"params\":{\"protocol\":2,\"role\":\"platform\"}}\n").await;
        for call in [
            r#""register","params":{"environment":"field","agent":"anna"}"#,
            r#""associate","params":{"environment":"field","agent":"anna","entity":"entity0"}"#,
        ] {
            client.ask(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":{call}}}\n").as_bytes()).await;
        }
        client
    });
    assert_eq!(measure(|| drop(Box::new(1))).count_total, 1, "the counter counts");
    // Each limit is what was measured, so that growth is noticed: lower it after an improvement, and raise it where more is
    // worth its cost. A request to an environment is one boxed job. The numbers include the JSON of requests and answers,
    // and for `step` one allocation of a check that only debug builds do.
    for (call, limit) in [
        (r#""ping","params":{}"#, 0),
        (r#""status","params":{"environment":"field"}"#, 1),
        (r#""act","params":{"environment":"field","agent":"anna","action":{"name":"walk","args":[1]}}"#, 3),
        (r#""perceive","params":{"environment":"field","agent":"anna"}"#, 3),
        (
            r#""step","params":{"environment":"field","agents":[{"agent":"anna","action":{"name":"walk","args":[1]}}]}"#,
            16,
        ),
        (r#""listEntities","params":{"environment":"field"}"#, 5),
    ] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":{call}}}\n");
        let ask = |client: &mut Client, times: u64| {
            runtime.block_on(async {
                for _ in 0..times {
                    client.ask(line.as_bytes()).await;
                }
            });
        };
        ask(&mut client, REQUESTS);
        let counted = measure(|| ask(&mut client, REQUESTS)).count_total;
        println!("{call}: {} in {REQUESTS} requests", counted);
        // The executor allocates once when a connection yields to others for the first time.
        assert!(counted <= limit * REQUESTS + 1, "{call}: {counted} allocations in {REQUESTS} requests");
    }
}

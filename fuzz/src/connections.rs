//! Properties of all data from a socket: the connection ends, and the server serves others as before.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::{LazyLock, Mutex, PoisonError, mpsc};
use std::time::Duration;

use situated_find_goals::FindGoals;
use situated_server::{Kinds, Server, Settings};

/// Maximum time for each operation.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server, and a client of it that must not be disturbed.
static RESIDENT: LazyLock<(SocketAddr, Mutex<BufReader<TcpStream>>)> = LazyLock::new(|| {
    let address = start();
    let mut resident = BufReader::new(connect(address));
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":2,"role":"observer"}}"#;
    assert!(ask(&mut resident, hello).contains("\"result\""));
    (address, Mutex::new(resident))
});

/// Sends the data over a connection of its own, and checks that other clients are not disturbed.
pub fn connection(data: &[u8]) {
    let (address, resident) = &*RESIDENT;
    let mut stream = connect(*address);
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(data).and_then(|()| stream.shutdown(Shutdown::Write));
    let end = stream.read_to_end(&mut Vec::new());
    let is_late =
        |error: &std::io::Error| matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
    assert!(!end.as_ref().is_err_and(is_late), "the connection does not end: {end:?}");
    let mut resident = resident.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = ask(&mut resident, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert!(answer.contains("\"id\":2,\"result\""), "{answer}");
}

fn start() -> SocketAddr {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let executor = tokio::runtime::Runtime::new().expect("there are threads");
        executor.block_on(async {
            let settings = Settings { address: (Ipv4Addr::LOCALHOST, 0).into(), ..Settings::default() };
            let kinds = Kinds::new().with_environment::<FindGoals>();
            let server = Server::bind(settings, kinds).await.expect("a port is free");
            tell.send(server.address()).expect("the receiver exists");
            server.serve(std::future::pending()).await;
        });
    });
    told.recv().expect("it starts")
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("it is a socket");
    stream.set_nodelay(true).expect("it is a socket");
    stream
}

fn ask(client: &mut BufReader<TcpStream>, call: &str) -> String {
    client.get_mut().write_all(format!("{call}\n").as_bytes()).expect("it reads");
    let mut answer = String::new();
    client.read_line(&mut answer).expect("it answers");
    answer
}

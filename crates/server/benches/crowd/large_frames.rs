//! Connections that all send a large frame at once, beside a client that makes calls.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::players::print_latencies;
use crate::serving::Serving;

/// Number of connections that send a large frame.
const CONNECTIONS: usize = 600;

/// Number of bytes that each of them sends.
const BYTES: usize = 1000 << 10;

/// Pause of the other client between two calls.
const PAUSE: Duration = Duration::from_millis(3);

/// Number of threads that send.
const THREADS: usize = 4;

pub(crate) fn measure(serving: &Serving) {
    let (address, goes_on) = (serving.address, AtomicBool::new(true));
    print_latencies("a client alone", ping(address, 300, &goes_on));
    let (begin, mut took, mut most) = (Instant::now(), Duration::ZERO, 0);
    let latencies = thread::scope(|scope| {
        let healthy = scope.spawn(|| ping(address, usize::MAX, &goes_on));
        let senders: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| send_frames(address))).collect();
        while !senders.iter().all(|sender| sender.is_finished()) {
            most = most.max(crate::resident_bytes(serving));
            thread::sleep(Duration::from_millis(10));
        }
        took = begin.elapsed();
        goes_on.store(false, Ordering::Relaxed);
        healthy.join().expect("no panic")
    });
    println!(
        "{CONNECTIONS} connections send a frame of {} KiB, and get their answers within {:.2} s; the server uses up to {} MiB",
        BYTES >> 10,
        took.as_secs_f64(),
        most >> 20
    );
    print_latencies(&format!("the same client meanwhile, {} calls", latencies.len()), latencies);
}

/// Sends a frame over each connection of one thread, at the same time, and waits for the answers.
fn send_frames(address: SocketAddr) {
    let connect = |_| {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nonblocking(true).expect("it is open");
        (stream, 0)
    };
    let mut streams: Vec<(TcpStream, usize)> = (0..CONNECTIONS / THREADS).map(connect).collect();
    let mut bytes = vec![b'x'; BYTES];
    bytes.push(b'\n');
    while streams.iter().any(|(_, sent)| *sent < bytes.len()) {
        for (stream, sent) in &mut streams {
            match stream.write(&bytes[*sent..]) {
                Ok(more) => *sent += more,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => panic!("the server closed a connection: {error}"),
            }
        }
        thread::sleep(Duration::from_millis(1));
    }
    for (stream, _) in &streams {
        stream.set_nonblocking(false).expect("it is open");
        BufReader::new(stream).read_line(&mut String::new()).expect("the server answers");
    }
}

/// Returns the latencies of calls, made one after another.
fn ping(address: SocketAddr, most: usize, goes_on: &AtomicBool) -> Vec<Duration> {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("it is open");
    let mut reader = BufReader::new(&stream);
    let mut ask = |call: &str| {
        (&stream).write_all(format!("{call}\n").as_bytes()).expect("the server reads");
        reader.read_line(&mut String::new()).expect("the server answers");
    };
    ask(r#"{"jsonrpc":"2.0","id":0,"method":"hello","params":{"protocol":2,"role":"platform"}}"#);
    let mut latencies = Vec::new();
    while latencies.len() < most && goes_on.load(Ordering::Relaxed) {
        let begin = Instant::now();
        ask(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        latencies.push(begin.elapsed());
        thread::sleep(PAUSE);
    }
    latencies
}

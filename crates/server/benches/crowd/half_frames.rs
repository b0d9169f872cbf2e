//! Connections that all send half of a large frame at once, beside a client that makes calls.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::players::print_latencies;
use crate::serving::Serving;

/// Number of connections that send an unfinished frame.
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
    let (begin, mut took) = (Instant::now(), Duration::ZERO);
    let latencies = thread::scope(|scope| {
        let healthy = scope.spawn(|| ping(address, usize::MAX, &goes_on));
        let senders: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| send_halves(address))).collect();
        let connections: Vec<_> = senders.into_iter().map(|sender| sender.join().expect("no panic")).collect();
        took = begin.elapsed();
        goes_on.store(false, Ordering::Relaxed);
        drop(connections);
        healthy.join().expect("no panic")
    });
    println!(
        "{CONNECTIONS} connections send {} KiB of a frame in {:.2} s; the server then uses {} MiB",
        BYTES >> 10,
        took.as_secs_f64(),
        serving.resident_bytes() >> 20
    );
    print_latencies(&format!("the same client meanwhile, {} calls", latencies.len()), latencies);
}

/// Sends half frames over the connections of one thread, as far as the server reads them. The connections stay open.
fn send_halves(address: SocketAddr) -> Vec<TcpStream> {
    let connect = |_| {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nonblocking(true).expect("it is open");
        (stream, 0)
    };
    let mut streams: Vec<(TcpStream, usize)> = (0..CONNECTIONS / THREADS).map(connect).collect();
    let (bytes, begin) = (vec![b'x'; BYTES], Instant::now());
    // The server may close the connections, or read them slowly.
    while begin.elapsed() < Duration::from_secs(20) && streams.iter().any(|(_, sent)| *sent < BYTES) {
        for (stream, sent) in &mut streams {
            match stream.write(&bytes[*sent..]) {
                Ok(more) => *sent += more,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => *sent = BYTES,
            }
        }
        thread::sleep(Duration::from_millis(1));
    }
    streams.into_iter().map(|(stream, _)| stream).collect()
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

//! Round trips over sockets of the standard library, with which those of the server are compared.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use super::SPAN;

/// The round trips per second over some connections, with a thread at each end. A request and a response have these
/// lengths in bytes.
pub(super) fn rate(connections: usize, (request, response): (usize, usize)) -> f64 {
    let (trips, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    thread::scope(|scope| {
        for _ in 0..connections {
            let mut client = TcpStream::connect(address).expect("it listens");
            let (mut server, _) = listener.accept().expect("a client connects");
            for end in [&client, &server] {
                end.set_nodelay(true).expect("it is open");
            }
            scope.spawn(move || {
                let (mut request, response) = (vec![0; request], vec![7; response]);
                while server.read_exact(&mut request).is_ok() && server.write_all(&response).is_ok() {}
            });
            let (trips, over) = (&trips, &over);
            scope.spawn(move || {
                let (request, mut response) = (vec![7; request], vec![0; response]);
                while !over.load(Relaxed) {
                    client.write_all(&request).expect("the server reads");
                    client.read_exact(&mut response).expect("the server answers");
                    trips.fetch_add(1, Relaxed);
                }
            });
        }
        let before = trips.load(Relaxed);
        thread::sleep(SPAN);
        let after = trips.load(Relaxed);
        over.store(true, Relaxed);
        (after - before) as f64 / SPAN.as_secs_f64()
    })
}

//! A proxy that cuts connections.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A proxy of a server.
pub(crate) struct WireCutter {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// Rejects new connections.
    closed: AtomicBool,
    /// Drops the messages of the server on all current connections.
    deaf: AtomicBool,
    /// Cuts each connection somewhere in its first bytes.
    frayed: AtomicBool,
    connections: Mutex<Vec<TcpStream>>,
    /// Number of connections so far.
    count: AtomicUsize,
    /// Number of bytes from clients.
    passed: AtomicUsize,
}

impl WireCutter {
    pub(crate) fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        let address = listener.local_addr().expect("the server listens");
        let state = Arc::new(State::default());
        let shared = state.clone();
        thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                if !shared.closed.load(Ordering::SeqCst) {
                    shared.connect(client, server);
                }
            }
        });
        Self { address, state }
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        for connection in self.state.connections.lock().expect("no thread panics").drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// Cuts each connection, from now on, after some number of bytes below [`FRAYED`]. All numbers come to pass, so that
    /// connections end within messages too, and some live for long enough to make progress.
    pub(crate) fn fray(&self) {
        self.state.frayed.store(true, Ordering::SeqCst);
        self.cut();
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.state.count.load(Ordering::SeqCst)
    }

    /// Rejects or accepts new connections.
    pub(crate) fn close(&self, closed: bool) {
        self.state.closed.store(closed, Ordering::SeqCst);
    }

    /// Drops the messages of the server on current connections; passes them on new ones.
    pub(crate) fn deafen(&self, deaf: bool) {
        self.state.deaf.store(deaf, Ordering::SeqCst);
    }

    /// Waits until a client has sent something and the server has had time to answer.
    pub(crate) fn wait_for_bytes(&self, begin: impl FnOnce()) {
        let passed = self.state.passed.load(Ordering::SeqCst);
        begin();
        while self.state.passed.load(Ordering::SeqCst) == passed {
            thread::yield_now();
        }
        thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// More bytes than a frayed connection passes on.
const FRAYED: usize = 4099;

impl State {
    fn connect(self: &Arc<Self>, client: TcpStream, server: SocketAddr) {
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        let frayed = self.frayed.load(Ordering::SeqCst);
        // A step that shares no factor with the number of bytes comes to all of them.
        let left = if frayed { number * 1607 % FRAYED } else { usize::MAX };
        let left = Arc::new(AtomicUsize::new(left));
        let server = TcpStream::connect(server).expect("the server listens");
        let clone = |stream: &TcpStream| stream.try_clone().expect("there is room for one more");
        self.connections.lock().expect("no thread panics").extend([clone(&client), clone(&server)]);
        for (from, to, from_client) in [(clone(&client), clone(&server), true), (server, client, false)] {
            let (state, left) = (self.clone(), left.clone());
            thread::spawn(move || state.pass(from, to, from_client, &left));
        }
    }

    /// Passes bytes on until one side has ended or none are left to the connection.
    fn pass(&self, mut from: TcpStream, mut to: TcpStream, from_client: bool, left: &AtomicUsize) {
        let mut buffer = [0; 4096];
        let mut deaf = false;
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            // After a gap, the connection is unusable.
            deaf |= !from_client && self.deaf.load(Ordering::SeqCst);
            if deaf {
                continue;
            }
            let spent = |left: usize| Some(left.saturating_sub(length));
            let left = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spent).expect("it can always be spent");
            if to.write_all(&buffer[..length.min(left)]).is_err() {
                break;
            }
            if left < length {
                let _ = from.shutdown(Shutdown::Both);
                break;
            }
            if from_client {
                self.passed.fetch_add(length, Ordering::SeqCst);
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    }
}

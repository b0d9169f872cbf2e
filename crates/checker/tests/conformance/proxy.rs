//! A proxy between the suite and a server. It introduces one fault.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The direction of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    ToServer,
    ToClient,
}

/// Replaces a frame by any number of frames.
pub(crate) type Fault = fn(Way, Value) -> Vec<Value>;

/// A proxy that runs until it is dropped.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    /// Starts a proxy for a server, with a fault.
    pub(crate) async fn start(server: SocketAddr, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(join(client, server, fault));
            }
        });
        Self { address, task }
    }
}

async fn join(client: TcpStream, server: SocketAddr, fault: Fault) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = pass(from_client, to_server, Way::ToServer, fault) => {}
        () = pass(from_server, to_client, Way::ToClient, fault) => {}
    }
}

async fn pass(from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, way: Way, fault: Fault) {
    let mut lines = BufReader::new(from).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let out = match serde_json::from_slice(&line) {
            Ok(frame) => fault(way, frame).iter().map(|frame| format!("{frame}\n")).collect::<String>().into_bytes(),
            // Frames that are not JSON pass unchanged.
            Err(_) => [line.as_slice(), b"\n"].concat(),
        };
        if to.write_all(&out).await.is_err() {
            return;
        }
    }
}

//! The server. It listens on one port. The first byte of a connection distinguishes lines of JSON from HTTP.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, pin, thread};

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::{Extension, Router};
use futures_util::future::poll_immediate;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use situated_hub::{Hub, Kinds};
use situated_wire::Error;
use situated_wire::methods::{self, CreateEnvironment};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::data::Data;
use crate::gateway::{Gateway, Lines, closing, serve};
use crate::http::router;
use crate::peer::{Patience, Peer, PeerStream};
use crate::platform;
use crate::settings::{Settings, StartError, acceptor};

/// Number of bytes that are read to detect the protocol of a connection.
const READ_AHEAD: usize = 4 << 10;

/// Size of the buffer for HTTP requests.
const HTTP_BUFFER: usize = 32 << 10;

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 4096;

/// Maximum number of rejected clients that receive the reason at the same time, and the time that each of them has to
/// read it.
const REFUSALS: usize = 64;
const REFUSAL: Duration = Duration::from_secs(1);

/// Maximum time of an HTTP connection, after which the client has to open another.
const HTTP: Duration = Duration::from_secs(60);

/// Time that the server waits for connected clients when it shuts down.
const FAREWELL: Duration = Duration::from_secs(3);

/// A server that listens.
pub struct Server {
    gateway: Arc<Gateway>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    /// The client for other platforms.
    platforms: Option<ureq::Agent>,
    address: SocketAddr,
}

impl Server {
    /// Creates a server that listens. Environments can be added to it before it serves.
    ///
    /// # Errors
    /// Returns an error if it cannot listen at the address, if the address is exposed without tokens, or if the
    /// folder for recordings or data cannot be used.
    pub async fn bind(settings: Settings, kinds: Kinds) -> Result<Self, StartError> {
        let address = settings.address;
        if !address.ip().is_loopback() && settings.access.is_open() && !settings.exposed {
            return Err(StartError::Exposed { address });
        }
        if let Some((folder, _)) = &settings.record {
            let failed = |reason| StartError::Record { folder: folder.clone(), reason };
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let tls = settings.tls.as_ref().map(acceptor).transpose()?;
        let platforms = settings.platform.as_ref().map(platform::client).transpose()?;
        let listen = |reason| StartError::Listen { address, reason };
        let listener = listen_at(address).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let data = settings.data.as_ref().map(|data| Data::open(data, address)).transpose()?;
        Ok(Self { gateway: Gateway::new(settings, kinds, data)?, listener, tls, platforms, address })
    }

    /// The address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address at which other machines reach it: one that they can open also if it listens on all network interfaces
    /// (`0.0.0.0` or `::`).
    pub fn reachable_address(&self) -> SocketAddr {
        let ip = self.address.ip();
        SocketAddr::new(if ip.is_unspecified() { address_in_network() } else { ip }, self.address.port())
    }

    /// The hub, to add environments, other gateways, and programs in the same process.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.gateway.hub
    }

    /// Creates an environment of a kind.
    ///
    /// # Errors
    /// The same as for the method `createEnvironment`.
    pub fn create(&self, environment: CreateEnvironment) -> Result<methods::EnvironmentStatus, Error> {
        self.gateway.create(environment)
    }

    /// Restores the environments and sessions in the data, except for environments that were added to the
    /// [hub](Self::hub) before, under their names. If there are data, call this before the server serves.
    ///
    /// # Errors
    /// Returns an error if an environment cannot be restored.
    pub fn restore(&self) -> Result<(), situated_hub::Error> {
        self.gateway.hub.restore()
    }

    /// Serves clients until `stop` completes; then informs clients and ends episodes.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let reachable = self.reachable_address();
        let Self { gateway, listener, tls, platforms, .. } = self;
        let router = router(gateway.clone());
        if let (Some(settings), Some(client)) = (&gateway.settings.platform, platforms) {
            let scheme = if tls.is_some() { "https" } else { "http" };
            let at = settings.platform(&format!("{scheme}://{reachable}"));
            for peer in &settings.peers {
                let (gateway, client, at, peer) = (gateway.clone(), client.clone(), at.clone(), peer.clone());
                // Its requests block, so it has a thread of its own.
                thread::spawn(move || platform::forward(&gateway, &client, &at, &peer));
            }
        }
        let admission = gateway.admission.clone();
        let refusals = Arc::new(Semaphore::new(REFUSALS));
        let mut stop = pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut stop => break,
            };
            let (stream, address) = match accepted {
                Ok((stream, address)) => (stream, address.ip()),
                Err(error) => {
                    // For example, there are no more file descriptors. The server continues with the present clients.
                    tracing::error!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            match admission.admit(address) {
                Ok(place) => {
                    tokio::spawn(welcome(gateway.clone(), router.clone(), tls.clone(), stream, Peer::new(place)));
                }
                Err(reason) => {
                    gateway.metrics.connections_refused.inc();
                    tracing::warn!(peer = %address, reason = reason.message, "rejected a connection");
                    // Above that number, or with TLS, the connection is closed without a reason.
                    if let (Ok(turn), None) = (refusals.clone().try_acquire_owned(), &tls) {
                        tokio::spawn(async move {
                            let _ = timeout(REFUSAL, refuse(stream, reason)).await;
                            drop(turn);
                        });
                    }
                }
            }
        }
        drop(listener);
        tracing::info!("shutting down");
        gateway.close();
        let _ = timeout(FAREWELL, async {
            while !gateway.is_closed() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }
}

/// Listens, with a long queue for many clients that connect at once.
fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Otherwise a restarted server could not use the port until the system forgets the old connections.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The address of this machine in its network; without a network, that which only itself can reach.
fn address_in_network() -> IpAddr {
    // The system chooses the interface, as for packets to other networks. This sends nothing, and nobody has the address.
    let toward_others = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    };
    toward_others().map_or(Ipv4Addr::LOCALHOST.into(), |address: SocketAddr| address.ip())
}

/// Sends a client the reason why it is rejected, in its own protocol.
async fn refuse(mut stream: TcpStream, reason: Error) -> io::Result<()> {
    let mut first = [0];
    stream.peek(&mut first).await?;
    let said = if first[0].is_ascii_uppercase() {
        let text = reason.message;
        let length = text.len() + 1;
        format!("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{text}\n")
            .into()
    } else {
        closing(reason)
    };
    stream.write_all(&said).await?;
    stream.shutdown().await?;
    // The reason can get lost if the connection is closed with unread data.
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.map(drop)
}

/// Serves a connection of any kind.
async fn welcome(gateway: Arc<Gateway>, router: Router, tls: Option<TlsAcceptor>, stream: TcpStream, peer: Arc<Peer>) {
    // Sends small frames at once, and lets the system detect lost peers.
    let _ = stream.set_nodelay(true);
    let keepalive = TcpKeepalive::new().with_time(Duration::from_secs(30)).with_interval(Duration::from_secs(10));
    let _ = SockRef::from(&stream).set_tcp_keepalive(&keepalive);
    match tls {
        None => attend(gateway, router, stream, peer).await,
        Some(tls) => {
            let accepted = tokio::select! {
                accepted = timeout(gateway.settings.greeting, tls.accept(stream)) => accepted,
                _ = peer.place.dismissed() => return,
            };
            match accepted {
                Ok(Ok(stream)) => attend(gateway, router, stream, peer).await,
                Ok(Err(error)) => tracing::debug!(%error, "the TLS handshake failed"),
                Err(_) => tracing::debug!("the TLS handshake took too long"),
            }
        }
    }
}

/// Detects the protocol of a connection, and serves it.
async fn attend(
    gateway: Arc<Gateway>,
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Arc<Peer>,
) {
    let Settings { limits, greeting, finishing, .. } = gateway.settings;
    let patience = Patience { taking: Duration::from_millis(limits.read_timeout_ms), finishing };
    let mut stream = BufReader::with_capacity(READ_AHEAD, PeerStream::new(stream, peer.clone(), patience));
    let first = tokio::select! {
        read = timeout(greeting, stream.fill_buf()) => match read {
            Ok(Ok([first, ..])) => Some(*first),
            _ => return,
        },
        _ = peer.place.dismissed() => None,
    };
    if first.is_some_and(|first| first.is_ascii_uppercase()) {
        serve_http(&gateway, router, stream, peer).await;
    } else {
        serve(gateway, Lines::new(stream, peer.clone(), limits.frame_bytes), peer).await;
    }
}

async fn serve_http(
    gateway: &Arc<Gateway>,
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Arc<Peer>,
) {
    let of_request = peer.clone();
    // A WebSocket lives longer than the request that opened it, and keeps its slot.
    let router = router.layer(Extension(peer.clone())).layer(from_fn(move |request: Request, next: Next| {
        let peer = of_request.clone();
        async move { answer_in_turn(&peer, request, next).await }
    }));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(gateway.settings.greeting)
        .max_buf_size(HTTP_BUFFER)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = pin::pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        _ = peer.place.dismissed() => return,
        remaining = async { tokio::select! { () = gateway.closed() => FAREWELL, () = sleep(HTTP) => HTTP } } => {
            // A request that has begun is answered, which takes up to 30 s.
            connection.as_mut().graceful_shutdown();
            match timeout(remaining, connection).await {
                Ok(served) => served,
                Err(_) => return,
            }
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "an HTTP connection broke");
    }
}

/// Answers a request over HTTP when it is the turn of its connection. A client needs no token to send requests, and can
/// send many before it reads the responses. The turn ends when the answer is ready, or when it waits for something.
async fn answer_in_turn(peer: &Peer, request: Request, next: Next) -> Response {
    peer.finish(0);
    // Requests that arrived together would otherwise be answered in a row.
    yield_now().await;
    let turn = peer.place.turn().await;
    let mut answer = pin::pin!(next.run(request));
    let answered = poll_immediate(&mut answer).await;
    drop(turn);
    match answered {
        Some(response) => response,
        None => answer.await,
    }
}

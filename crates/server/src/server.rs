//! The server: it listens, and serves whoever comes, on one port: the first byte tells lines of JSON from HTTP.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use std::{io, pin};

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use situated_hub::{Hub, Kinds};
use situated_wire::Error;
use situated_wire::methods::{self, CreateEnvironment};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::gateway::{Gateway, Lines, serve};
use crate::http::router;
use crate::settings::Settings;
use crate::start_error::StartError;
use crate::tls;

/// How much is read ahead from a connection, to see what it is.
const READ_AHEAD: usize = 4 << 10;

/// How many connections can wait to be accepted.
const BACKLOG: u32 = 4096;

/// How long the server waits for those who are still connected when it shuts down.
const FAREWELL: Duration = Duration::from_secs(3);

/// A server that listens.
pub struct Server {
    gateway: Arc<Gateway>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    address: SocketAddr,
}

impl Server {
    /// Creates a server that listens. Environments can be added to it before it serves.
    ///
    /// # Errors
    /// If it cannot listen at the address, or should not.
    pub async fn bind(settings: Settings, kinds: Kinds) -> Result<Self, StartError> {
        let address = settings.address;
        if !address.ip().is_loopback() && settings.access.is_open() && !settings.exposed {
            return Err(StartError::Exposed { address });
        }
        let tls = settings.tls.as_ref().map(tls::acceptor).transpose()?;
        let listen = |reason| StartError::Listen { address, reason };
        let listener = listen_at(address).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        Ok(Self { gateway: Gateway::new(settings, kinds), listener, tls, address })
    }

    /// The address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The hub, to add environments, other gateways, and programs in the same process.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.gateway.hub
    }

    /// Creates an environment of a kind.
    ///
    /// # Errors
    /// As the method `createEnvironment`.
    pub fn create(&self, environment: CreateEnvironment) -> Result<methods::EnvironmentStatus, Error> {
        self.gateway.create(environment)
    }

    /// Serves whoever comes, until it is told to stop; then clients are told, and episodes are closed.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let Self { gateway, listener, tls, .. } = self;
        let router = router(gateway.clone());
        let places = Arc::new(Semaphore::new(gateway.settings.connections));
        let mut stop = pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut stop => break,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Such as that there are no more file descriptors: those who are here may leave.
                    tracing::error!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let Ok(place) = places.clone().try_acquire_owned() else {
                gateway.metrics.connections_refused.inc();
                tracing::warn!("there are too many connections: one more is closed");
                continue;
            };
            tokio::spawn(welcome(gateway.clone(), router.clone(), tls.clone(), stream, place));
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

/// Listens, with room for a crowd that comes at once.
fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Otherwise a server could not be started again until the system has forgotten the connections of the last one.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves a connection, whatever it is.
async fn welcome(
    gateway: Arc<Gateway>,
    router: Router,
    tls: Option<TlsAcceptor>,
    stream: TcpStream,
    place: OwnedSemaphorePermit,
) {
    // Small frames go out at once; who has gone without a word is noticed some time.
    let _ = stream.set_nodelay(true);
    let keepalive = TcpKeepalive::new().with_time(Duration::from_secs(30)).with_interval(Duration::from_secs(10));
    let _ = SockRef::from(&stream).set_tcp_keepalive(&keepalive);
    match tls {
        None => attend(gateway, router, stream, place).await,
        Some(tls) => match timeout(gateway.settings.greeting, tls.accept(stream)).await {
            Ok(Ok(stream)) => attend(gateway, router, stream, place).await,
            Ok(Err(error)) => tracing::debug!(%error, "no encrypted connection"),
            Err(_) => tracing::debug!("no encrypted connection in time"),
        },
    }
}

/// Finds out what a connection is, and serves it as that.
async fn attend(
    gateway: Arc<Gateway>,
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    place: OwnedSemaphorePermit,
) {
    let mut stream = BufReader::with_capacity(READ_AHEAD, stream);
    let first = match timeout(gateway.settings.greeting, stream.fill_buf()).await {
        Ok(Ok([first, ..])) => *first,
        _ => return,
    };
    if first.is_ascii_uppercase() {
        // A WebSocket outlives the request that has opened it, and keeps its place.
        serve_http(&gateway, router.layer(Extension(Arc::new(place))), stream).await;
    } else {
        let longest = gateway.settings.limits.frame_bytes;
        serve(gateway, Lines::new(stream, longest)).await;
    }
}

async fn serve_http(
    gateway: &Arc<Gateway>,
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(gateway.settings.greeting)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = pin::pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = gateway.closed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "an HTTP connection broke");
    }
}

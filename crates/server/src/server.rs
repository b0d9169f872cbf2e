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
use situated::iil::EcoString;
use situated::interface::Command;
use situated_runtime::Owner;
use situated_wire::Error;
use situated_wire::methods::{CreateEnvironment, EnvironmentStatus, StatusAnswer};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::called::Called;
use crate::catalogue::Catalogue;
use crate::connection::lines::Lines;
use crate::connection::serve;
use crate::driven::Driven;
use crate::http::router;
use crate::hub::Hub;
use crate::instance::Ticket;
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
    hub: Arc<Hub>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    address: SocketAddr,
}

/// A way to see how the environments of a server stand.
pub struct Watch(Arc<Hub>);

impl Watch {
    /// How the environments stand, by name.
    pub fn environments(&self) -> Vec<EnvironmentStatus> {
        self.0.statuses()
    }
}

impl Server {
    /// A server that listens; environments can be added to it.
    ///
    /// # Errors
    /// When it cannot listen there, or should not.
    pub async fn bind(settings: Settings, catalogue: Catalogue) -> Result<Self, StartError> {
        let address = settings.address;
        if !address.ip().is_loopback() && settings.access.is_open() && !settings.exposed {
            return Err(StartError::Exposed { address });
        }
        let tls = settings.tls.as_ref().map(tls::acceptor).transpose()?;
        let listen = |reason| StartError::Listen { address, reason };
        let listener = listen_at(address).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        Ok(Self { hub: Hub::new(settings, catalogue), listener, tls, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes an environment of a kind in the catalogue.
    ///
    /// # Errors
    /// As when a manager asks for it.
    pub fn create(&self, environment: CreateEnvironment) -> Result<StatusAnswer, Error> {
        self.hub.create(environment)
    }

    /// Adds an environment whose owner there is already, and begins with these commands. If there is one of this name, a
    /// number is added to it.
    ///
    /// # Errors
    /// When a command is refused, or there are too many environments.
    pub fn add(&self, name: &str, owner: Owner<Ticket>, commands: Vec<Command>) -> Result<EnvironmentStatus, Error> {
        Ok(self.hub.add(Called::Like(name.into()), owner, commands)?.status())
    }

    /// Adds an environment that somebody else drives.
    ///
    /// # Errors
    /// When a command is refused, or there are too many environments.
    pub fn add_driven(&self, name: &str, owner: Owner<Ticket>, commands: Vec<Command>) -> Result<Driven, Error> {
        let instance = self.hub.add(Called::Like(name.into()), owner, commands)?;
        instance.let_drive();
        Ok(Driven(instance))
    }

    /// The entities of an environment, with their types, in order of creation; none if there is no such environment.
    pub fn entities(&self, environment: &str) -> Vec<(EcoString, EcoString)> {
        self.hub.find(environment).map(|instance| Driven(instance).entities()).unwrap_or_default()
    }

    /// How the environments stand, by name.
    pub fn environments(&self) -> Vec<EnvironmentStatus> {
        self.hub.statuses()
    }

    /// A way to see how the environments stand while it serves.
    pub fn watch(&self) -> Watch {
        Watch(self.hub.clone())
    }

    /// Serves whoever comes, until it is told to stop; then clients are told, and episodes are closed.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let Self { hub, listener, tls, .. } = self;
        let router = router(hub.clone());
        let (listing, listed) = (hub.listing.clone(), hub.clone());
        let telling = tokio::spawn(listing.keep_telling(move || listed.statuses()));
        let places = Arc::new(Semaphore::new(hub.settings.connections));
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
                hub.metrics.connections_refused.inc();
                tracing::warn!("there are too many connections: one more is closed");
                continue;
            };
            tokio::spawn(welcome(hub.clone(), router.clone(), tls.clone(), stream, place));
        }
        drop(listener);
        tracing::info!("shutting down");
        telling.abort();
        hub.close();
        let _ = timeout(FAREWELL, async {
            while !hub.is_closed() {
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
    hub: Arc<Hub>,
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
        None => attend(hub, router, stream, place).await,
        Some(tls) => match timeout(hub.settings.greeting, tls.accept(stream)).await {
            Ok(Ok(stream)) => attend(hub, router, stream, place).await,
            Ok(Err(error)) => tracing::debug!(%error, "no encrypted connection"),
            Err(_) => tracing::debug!("no encrypted connection in time"),
        },
    }
}

/// Finds out what a connection is, and serves it as that.
async fn attend(
    hub: Arc<Hub>,
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    place: OwnedSemaphorePermit,
) {
    let mut stream = BufReader::with_capacity(READ_AHEAD, stream);
    let first = match timeout(hub.settings.greeting, stream.fill_buf()).await {
        Ok(Ok([first, ..])) => *first,
        _ => return,
    };
    if first.is_ascii_uppercase() {
        // A WebSocket outlives the request that has opened it, and keeps its place.
        serve_http(&hub, router.layer(Extension(Arc::new(place))), stream).await;
    } else {
        let longest = hub.settings.limits.frame_bytes;
        serve(hub, Lines::new(stream, longest)).await;
    }
}

async fn serve_http(hub: &Arc<Hub>, router: Router, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(hub.settings.greeting)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = pin::pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = hub.closed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "an HTTP connection broke");
    }
}

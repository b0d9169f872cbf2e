//! Connections that send lines and receive frames: as lines over TCP, or as messages of a WebSocket, encrypted or not.

use std::any::Any;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::{fmt, io};

use futures_util::{Sink, SinkExt, Stream, StreamExt, sink, stream};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, ReadHalf, split};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async_with_config;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::address::Address;

/// Maximum length of a frame from the server in bytes. Servers keep less than this for one client.
const LONGEST: usize = 64 << 20;

/// Both directions of a connection.
pub(crate) struct Transport {
    /// The incoming frames.
    pub(crate) incoming: Incoming,
    /// The outgoing lines, each of which is a frame.
    pub(crate) outgoing: Outgoing,
    /// The result of [`OnConnection`], which is dropped with the connection.
    pub(crate) _kept: Option<Kept>,
}

pub(crate) type Incoming = Pin<Box<dyn Stream<Item = io::Result<String>> + Send>>;
pub(crate) type Outgoing = Pin<Box<dyn Sink<String, Error = io::Error> + Send>>;

type Directions = (Incoming, Outgoing);

/// The function that a user of the client wants to be called with each new connection.
#[derive(Clone)]
pub(crate) struct OnConnection(pub(crate) Arc<dyn Fn(&TcpStream) -> Kept + Send + Sync>);

type Kept = Box<dyn Any + Send>;

impl fmt::Debug for OnConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OnConnection")
    }
}

impl Transport {
    /// Connects, and trusts the certificates in this file besides those of the system.
    pub(crate) async fn open(
        address: &Address,
        trusted: Option<&PathBuf>,
        on_connection: Option<&OnConnection>,
    ) -> io::Result<Self> {
        let stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
        // Small frames are sent at once.
        stream.set_nodelay(true)?;
        let kept = on_connection.map(|call| call.0(&stream));
        let (incoming, outgoing) = if address.scheme.encrypted {
            encrypted(address, stream, trusted).await?
        } else {
            framed(address, stream).await?
        };
        Ok(Self { incoming, outgoing, _kept: kept })
    }
}

#[cfg(feature = "tls")]
async fn encrypted(address: &Address, stream: TcpStream, trusted: Option<&PathBuf>) -> io::Result<Directions> {
    framed(address, encrypt(&address.host, stream, trusted).await?).await
}

#[cfg(not(feature = "tls"))]
async fn encrypted(_: &Address, _: TcpStream, _: Option<&PathBuf>) -> io::Result<Directions> {
    Err(io::Error::other("this program was built without encryption; enable the feature `tls` of situated-client"))
}

/// Encrypts a connection to this host. Its certificate must be trusted by the system, or be in this file.
#[cfg(feature = "tls")]
async fn encrypt(
    host: &str,
    stream: TcpStream,
    trusted: Option<&PathBuf>,
) -> io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
    use rustls_native_certs::load_native_certs;
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore};

    let mut roots = RootCertStore::empty();
    // Certificates of the system that cannot be read are not trusted.
    roots.add_parsable_certificates(load_native_certs().certs);
    if let Some(file) = trusted {
        let unusable = |error: &dyn std::fmt::Display| {
            io::Error::other(format!("the certificates in {} cannot be used: {error}", file.display()))
        };
        for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unusable(&error))? {
            let certificate = certificate.map_err(|error| unusable(&error))?;
            roots.add(certificate).map_err(|error| unusable(&error))?;
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

async fn framed<S>(address: &Address, stream: S) -> io::Result<Directions>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    if address.scheme.websocket { messages(address, stream).await } else { Ok(lines(stream)) }
}

/// A connection whose frames are lines.
fn lines<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S) -> Directions {
    let (reader, writer) = split(stream);
    let incoming = stream::unfold(BufReader::new(reader), |mut reader| async {
        next_line(&mut reader).await.transpose().map(|line| (line, reader))
    });
    let outgoing = sink::unfold(writer, |mut writer, lines: String| async move {
        writer.write_all(lines.as_bytes()).await?;
        writer.flush().await?;
        Ok(writer)
    });
    (Box::pin(incoming), Box::pin(outgoing))
}

/// Returns the next line, or `None` at the end.
async fn next_line<S: AsyncRead>(reader: &mut BufReader<ReadHalf<S>>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    reader.take(LONGEST as u64).read_until(b'\n', &mut line).await?;
    match line.pop() {
        Some(b'\n') => String::from_utf8(line).map(Some).map_err(io::Error::other),
        // An incomplete line is not a message.
        Some(_) if line.len() + 1 < LONGEST => Ok(None),
        Some(_) => Err(io::Error::other(format!("the server has sent a frame of more than {LONGEST} bytes"))),
        None => Ok(None),
    }
}

/// A connection whose frames are messages of a WebSocket.
async fn messages<S>(address: &Address, stream: S) -> io::Result<Directions>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let config = WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
    let opened = client_async_with_config(address.to_string(), stream, Some(config)).await;
    let (outgoing, incoming) = opened.map_err(as_io)?.0.split();
    let incoming = incoming.filter_map(async |message| match message {
        Ok(Message::Text(text)) => Some(Ok(text.as_str().to_owned())),
        Ok(_) => None,
        Err(error) => Some(Err(as_io(error))),
    });
    let outgoing = outgoing.sink_map_err(as_io).with_flat_map(|lines: String| {
        let messages: Vec<_> = lines.lines().map(|line| Ok(Message::text(line))).collect();
        stream::iter(messages)
    });
    Ok((Box::pin(incoming), Box::pin(outgoing)))
}

fn as_io(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}

//! How frames travel: as lines over TCP, or as messages of a WebSocket, encrypted or not. The rest of the client knows only
//! that lines go out, and that frames come in.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;

use futures_util::{Sink, SinkExt, Stream, StreamExt, sink, stream};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, ReadHalf, split};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async_with_config;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::address::Address;

/// How many bytes a frame of the server may have. It is more than a server keeps for anybody.
const LONGEST: usize = 64 << 20;

/// Both directions of a connection.
pub(crate) struct Transport {
    /// The frames that come in.
    pub(crate) incoming: Incoming,
    /// Where lines go out, each of which is a frame.
    pub(crate) outgoing: Outgoing,
}

pub(crate) type Incoming = Pin<Box<dyn Stream<Item = io::Result<String>> + Send>>;
pub(crate) type Outgoing = Pin<Box<dyn Sink<String, Error = io::Error> + Send>>;

impl Transport {
    /// Connects, and trusts the certificates in this file as well as those that the system trusts.
    pub(crate) async fn open(address: &Address, trusted: Option<&PathBuf>) -> io::Result<Self> {
        let stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
        // Small frames go out at once.
        stream.set_nodelay(true)?;
        if address.way.encrypted { encrypted(address, stream, trusted).await } else { framed(address, stream).await }
    }
}

#[cfg(feature = "tls")]
async fn encrypted(address: &Address, stream: TcpStream, trusted: Option<&PathBuf>) -> io::Result<Transport> {
    framed(address, crate::tls::encrypt(&address.host, stream, trusted).await?).await
}

#[cfg(not(feature = "tls"))]
async fn encrypted(_: &Address, _: TcpStream, _: Option<&PathBuf>) -> io::Result<Transport> {
    Err(io::Error::other("this program was built without encryption; give situated-client its feature `tls`"))
}

async fn framed<S>(address: &Address, stream: S) -> io::Result<Transport>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    if address.way.websocket { messages(address, stream).await } else { Ok(lines(stream)) }
}

/// Frames are lines.
fn lines<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S) -> Transport {
    let (reader, writer) = split(stream);
    let incoming = stream::unfold(BufReader::new(reader), |mut reader| async {
        next_line(&mut reader).await.transpose().map(|line| (line, reader))
    });
    let outgoing = sink::unfold(writer, |mut writer, lines: String| async move {
        writer.write_all(lines.as_bytes()).await?;
        writer.flush().await?;
        Ok(writer)
    });
    Transport { incoming: Box::pin(incoming), outgoing: Box::pin(outgoing) }
}

/// The next line; none at the end.
async fn next_line<S: AsyncRead>(reader: &mut BufReader<ReadHalf<S>>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    reader.take(LONGEST as u64).read_until(b'\n', &mut line).await?;
    match line.pop() {
        Some(b'\n') => String::from_utf8(line).map(Some).map_err(io::Error::other),
        // A line that breaks off says nothing.
        Some(_) if line.len() + 1 < LONGEST => Ok(None),
        Some(_) => Err(io::Error::other(format!("the server has sent a frame of more than {LONGEST} bytes"))),
        None => Ok(None),
    }
}

/// Frames are messages of a WebSocket.
async fn messages<S>(address: &Address, stream: S) -> io::Result<Transport>
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
    Ok(Transport { incoming: Box::pin(incoming), outgoing: Box::pin(outgoing) })
}

fn as_io(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}

//! Frames as lines of a stream.

use std::io;
use std::sync::Arc;

use memchr::memchr;
use situated_wire::{Code, Error};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{Received, Transport};
use crate::peer::Peer;

/// Minimum size of a read.
const READ: usize = 4096;

/// Maximum size of a read, after which other connections are served.
const MOST: u64 = 32 << 10;

/// A stream of lines, each of which is a frame.
pub(crate) struct Lines<S> {
    stream: S,
    peer: Arc<Peer>,
    /// Received bytes.
    buffer: Vec<u8>,
    /// The position at which the next frame begins.
    begin: usize,
    /// The position up to which there is no newline.
    searched: usize,
    longest: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Lines<S> {
    /// Creates a reader for the lines of the stream from this peer, of at most `longest` bytes.
    pub(crate) fn new(stream: S, peer: Arc<Peer>, longest: usize) -> Self {
        Self { stream, peer, buffer: Vec::new(), begin: 0, searched: 0, longest }
    }

    /// Reads more data, and removes the frames that were handed out. Returns whether data arrived.
    async fn read(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.begin);
        (self.begin, self.searched) = (0, self.buffer.len());
        // Frees the buffer of a large frame.
        if self.buffer.len() < READ && self.buffer.capacity() > 16 * READ {
            self.buffer.shrink_to(4 * READ);
        }
        self.buffer.reserve(READ);
        Ok((&mut self.stream).take(MOST).read_buf(&mut self.buffer).await? > 0)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Transport for Lines<S> {
    async fn receive(&mut self) -> io::Result<Received<'_>> {
        loop {
            if let Some(length) = memchr(b'\n', &self.buffer[self.searched..]) {
                let (begin, end) = (self.begin, self.searched + length);
                (self.begin, self.searched) = (end + 1, end + 1);
                self.peer.finish(self.buffer.len() - self.begin);
                if end - begin > self.longest {
                    return Ok(Received::Refused(too_long(self.longest)));
                }
                let line = &self.buffer[begin..end];
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                return Ok(match std::str::from_utf8(line) {
                    Ok(text) => Received::Frame(text),
                    Err(_) => Received::Refused(Error::new(Code::Parse, "a frame must be UTF-8 text")),
                });
            }
            if self.buffer.len() - self.begin > self.longest {
                return Ok(Received::Refused(too_long(self.longest)));
            }
            if !self.read().await? {
                return Ok(Received::Gone);
            }
        }
    }

    fn has_frame(&self) -> bool {
        memchr(b'\n', &self.buffer[self.begin..]).is_some()
    }

    async fn send(&mut self, frames: &[u8]) -> io::Result<()> {
        self.stream.write_all(frames).await?;
        self.stream.flush().await
    }

    async fn part(&mut self) -> io::Result<()> {
        self.stream.shutdown().await?;
        loop {
            self.buffer.clear();
            self.buffer.reserve(READ);
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(());
            }
        }
    }
}

/// The error for a frame that is too long.
pub(super) fn too_long(longest: usize) -> Error {
    Error::new(Code::Limit, format!("a frame must have at most {longest} bytes"))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use situated_hub::Budget;

    use crate::admission::{Admission, Bounds};

    async fn received(bytes: &'static [u8], longest: usize) -> Vec<String> {
        let (mut ours, theirs) = tokio::io::duplex(3);
        tokio::spawn(async move { ours.write_all(bytes).await });
        let bounds = Bounds { connections: 1, connections_per_address: 1 };
        let place =
            Admission::new(bounds, Budget::new(1 << 20)).admit(Ipv4Addr::LOCALHOST.into()).expect("there is room");
        let mut lines = Lines::new(theirs, Peer::new(place), longest);
        let mut all = Vec::new();
        loop {
            match lines.receive().await.expect("the stream is sound") {
                Received::Frame(text) => all.push(text.to_owned()),
                Received::Refused(error) => {
                    all.push(error.message);
                    return all;
                }
                Received::Gone => return all,
            }
        }
    }

    #[tokio::test]
    async fn splits_lines_into_frames_for_any_chunks() {
        assert_eq!(received(b"one\ntwo\r\n\nlast", 100).await, ["one", "two", ""]);
    }

    #[tokio::test]
    async fn rejects_long_lines_and_invalid_text() {
        assert_eq!(received(b"12345\n123456\n", 5).await, ["12345", "a frame must have at most 5 bytes"]);
        assert_eq!(received(b"123456789", 5).await, ["a frame must have at most 5 bytes"]);
        assert_eq!(received(b"\xff\n", 5).await, ["a frame must be UTF-8 text"]);
    }
}

//! The envelope: JSON-RPC 2.0. A frame is one message or a list of messages (a batch). Both sides send requests:
//! clients to the server, and the server to hosts of environments.

use std::borrow::Cow;
use std::fmt;
use std::io;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use situated::reading::{self, Unreadable};

use crate::{Code, Error};

/// The maximum number of messages in a batch.
pub const BATCH_LENGTH: usize = 256;

/// The id of a request, an integer or a string that the caller chooses. A request without `id`, or with `null`, gets
/// no response.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "an `id` is a string, or an integer of at most 64 bits")]
pub enum Id {
    /// An integer.
    Number(i64),
    /// A string.
    Text(String),
}

/// A frame that was received.
#[derive(Debug)]
pub enum Frame<'a> {
    /// One message.
    One(Result<Message<'a>, Refused>),
    /// Several messages, whose responses are sent in one frame.
    Batch(Vec<Result<Message<'a>, Refused>>),
}

/// A message that was received.
#[derive(Debug)]
pub enum Message<'a> {
    /// A request.
    Call {
        /// The id for the response; `None` if no response is wanted.
        id: Option<Id>,
        /// The name of the method.
        method: Cow<'a, str>,
        /// Its parameters.
        params: Option<&'a RawValue>,
    },
    /// The response to a request of this side.
    Answer {
        /// The request; `None` if it was refused because it was not a request.
        id: Option<Id>,
        /// The result.
        answered: Result<&'a RawValue, Error>,
    },
}

/// The reason why a message, or a whole frame, is refused.
#[derive(Debug, PartialEq)]
pub struct Refused {
    /// The id of the message, if it could be read.
    pub id: Option<Id>,
    /// The error.
    pub error: Error,
}

/// All keys that a message can have. Other keys are refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(default)]
    id: Option<Id>,
    #[serde(default, borrow)]
    method: Option<Text<'a>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Error>,
}

/// A string that is borrowed if possible. serde's derive for an optional `Cow` always copies.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads a frame.
///
/// # Errors
/// Returns an error if the frame is not JSON, or a list that is empty or longer than [`BATCH_LENGTH`].
pub fn read(text: &str) -> Result<Frame<'_>, Refused> {
    if !text.trim_start().starts_with('[') {
        return match read_message(text, text) {
            Err(refused) if refused.error.code == Code::Parse as i32 => Err(refused),
            message => Ok(Frame::One(message)),
        };
    }
    let messages: Vec<&RawValue> = reading::borrowed_json_in(text, text).map_err(|error| not_json(&error))?;
    match messages.len() {
        0 => Err(Refused::invalid(None, "a batch has at least one message")),
        1..=BATCH_LENGTH => Ok(Frame::Batch(messages.into_iter().map(|one| read_message(text, one.get())).collect())),
        length => Err(Refused::invalid(None, format!("a batch has at most {BATCH_LENGTH} messages, not {length}"))),
    }
}

/// Writes the response to a request.
///
/// # Errors
/// Returns an error if the result has no form in JSON.
pub fn write_answer(out: &mut Vec<u8>, id: &Id, result: &impl Serialize) -> io::Result<()> {
    write_answer_within(usize::MAX, out, id, result)
}

/// Writes a response, unless the text becomes longer than this number of bytes.
///
/// # Errors
/// Returns an error if the result has no form in JSON, or the text is too long.
pub fn write_answer_within(limit: usize, out: &mut Vec<u8>, id: &Id, result: &impl Serialize) -> io::Result<()> {
    #[derive(Serialize)]
    struct Answer<'a, R> {
        jsonrpc: &'static str,
        id: &'a Id,
        result: &'a R,
    }
    let within = Within { limit: out.len().saturating_add(limit), out };
    Ok(serde_json::to_writer(within, &Answer { jsonrpc: "2.0", id, result })?)
}

/// A text that may have this number of bytes.
struct Within<'a> {
    out: &'a mut Vec<u8>,
    limit: usize,
}

impl io::Write for Within<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.out.extend_from_slice(text);
        if self.out.len() <= self.limit { Ok(text.len()) } else { Err(io::ErrorKind::FileTooLarge.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes an error response; without an id if the message was not a request.
///
/// # Errors
/// Returns an error if the writer fails.
pub fn write_error(out: impl io::Write, id: Option<&Id>, error: &Error) -> io::Result<()> {
    #[derive(Serialize)]
    struct Answer<'a> {
        jsonrpc: &'static str,
        id: Option<&'a Id>,
        error: &'a Error,
    }
    Ok(serde_json::to_writer(out, &Answer { jsonrpc: "2.0", id, error })?)
}

/// Writes a request; without an id, one that gets no response.
///
/// # Errors
/// Returns an error if the writer fails.
pub fn write_call(out: impl io::Write, id: Option<&Id>, method: &str, params: &impl Serialize) -> io::Result<()> {
    #[derive(Serialize)]
    struct Call<'a, P> {
        jsonrpc: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a Id>,
        method: &'a str,
        params: &'a P,
    }
    Ok(serde_json::to_writer(out, &Call { jsonrpc: "2.0", id, method, params })?)
}

/// Writes a request that gets no response.
///
/// # Errors
/// Returns an error if the parameters have no form in JSON.
pub fn write_notification(out: &mut Vec<u8>, method: &str, params: &impl Serialize) -> io::Result<()> {
    #[derive(Serialize)]
    struct Notification<'a, P> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    Ok(serde_json::to_writer(out, &Notification { jsonrpc: "2.0", method, params })?)
}

impl Refused {
    fn invalid(id: Option<Id>, why: impl fmt::Display) -> Self {
        let message = format!("this is not a message of JSON-RPC 2.0: {why}");
        Self { id, error: Error::new(Code::InvalidRequest, message) }
    }
}

/// Reads a message, which is a part of the frame.
fn read_message<'a>(frame: &str, text: &'a str) -> Result<Message<'a>, Refused> {
    // serde would accept an array of the values.
    if text.trim_start().starts_with('[') {
        return Err(Refused::invalid(None, "a batch cannot be part of a batch"));
    }
    let written: Written<'_> = reading::borrowed_json_in(frame, text).map_err(|error| match error.is_well_formed {
        true => Refused::invalid(id_of(text), error),
        false => not_json(&error),
    })?;
    let Written { jsonrpc, id, method, params, result, error } = written;
    if jsonrpc != "2.0" {
        return Err(Refused::invalid(id, "`jsonrpc` must be \"2.0\""));
    }
    match (method, params, result, error) {
        (Some(Text(method)), params, None, None) => Ok(Message::Call { id, method, params }),
        (None, None, Some(result), None) if id.is_some() => Ok(Message::Answer { id, answered: Ok(result) }),
        (None, None, Some(_), None) => Err(Refused::invalid(None, "a response needs the `id` of its request")),
        (None, None, None, Some(error)) => Ok(Message::Answer { id, answered: Err(error) }),
        _ => Err(Refused::invalid(id, "expected a `method` and `params`, or a `result`, or an `error`")),
    }
}

/// A result that is `null` is a result.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads the id of something that is not a message, so that the sender knows what was rejected.
fn id_of(text: &str) -> Option<Id> {
    #[derive(Deserialize)]
    struct WithId {
        id: Id,
    }
    serde_json::from_str::<WithId>(text).ok().map(|with| with.id)
}

fn not_json(error: &Unreadable) -> Refused {
    Refused { id: None, error: Error::new(Code::Parse, format!("this is not JSON: {error}")) }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => number.fmt(f),
            Id::Text(text) => text.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> Refused {
        match read(text) {
            Err(refused) | Ok(Frame::One(Err(refused))) => refused,
            other => panic!("{text} is read as {other:?}"),
        }
    }

    #[test]
    fn distinguishes_calls_and_answers() {
        let call = read(r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":[1]}}"#);
        let Ok(Frame::One(Ok(Message::Call { id: Some(Id::Number(7)), params: Some(params), .. }))) = call else {
            panic!("{call:?}")
        };
        assert_eq!(params.get(), r#"{"a":[1]}"#);
        let call = read(r#"{"jsonrpc":"2.0","method":"ping"}"#);
        assert!(matches!(call, Ok(Frame::One(Ok(Message::Call { id: None, params: None, .. })))), "{call:?}");
        let answer = read(r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}"#);
        assert!(matches!(answer, Ok(Frame::One(Ok(Message::Answer { answered: Err(_), .. })))), "{answer:?}");
    }

    #[test]
    fn errors_contain_the_id() {
        for (text, code, id) in [
            ("", Code::Parse, None),
            ("GET / HTTP/1.1", Code::Parse, None),
            (r#"{"jsonrpc":"2.0","id":1"#, Code::Parse, None),
            ("[]", Code::InvalidRequest, None),
            ("7", Code::InvalidRequest, None),
            (r#"{"id":1,"method":"ping"}"#, Code::InvalidRequest, Some(Id::Number(1))),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Code::InvalidRequest, Some(Id::Number(1))),
            (r#"{"jsonrpc":"2.0","id":"a","method":5}"#, Code::InvalidRequest, Some(Id::Text("a".into()))),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Code::InvalidRequest, None),
            (r#"{"jsonrpc":"2.0","result":1}"#, Code::InvalidRequest, None),
            (r#"{"jsonrpc":"2.0","id":1}"#, Code::InvalidRequest, Some(Id::Number(1))),
        ] {
            let refused = refusal(text);
            assert_eq!((refused.error.code, refused.id), (code as i32, id), "{text}");
        }
    }

    #[test]
    fn batches_are_bounded_and_keep_their_valid_messages() {
        let batch = read(r#"[{"jsonrpc":"2.0","method":"a"}, 1]"#);
        let Ok(Frame::Batch(messages)) = batch else { panic!("{batch:?}") };
        assert!(matches!(messages.as_slice(), [Ok(Message::Call { id: None, .. }), Err(_)]));
        let long = format!("[{}1]", "1,".repeat(BATCH_LENGTH));
        assert!(refusal(&long).error.message.contains("at most 256 messages, not 257"));
    }

    #[test]
    fn reads_what_it_writes() {
        let mut text = Vec::new();
        write_call(&mut text, Some(&Id::Number(1)), "ping", &()).expect("memory takes all");
        assert_eq!(text, br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#);
        text.clear();
        write_answer(&mut text, &Id::Text("a".into()), &[1]).expect("memory takes all");
        assert_eq!(text, br#"{"jsonrpc":"2.0","id":"a","result":[1]}"#);
        text.clear();
        write_error(&mut text, None, &Error::new(Code::Parse, "no")).expect("memory takes all");
        assert_eq!(
            text,
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":{"kind":"parse"}}}"#
        );
    }
}

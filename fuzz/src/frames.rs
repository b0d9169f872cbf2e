//! Properties of every frame: reading it and its request does not panic, and a frame that was read can be written and
//! read back equal.

use serde_json::value::RawValue;
use situated_wire::rpc::{self, Frame, Message, Refused};
use situated_wire::{Call, Notification, with_requests};

/// Reads the data as a frame.
pub fn frame(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match rpc::read(&text) {
        Ok(Frame::One(message)) => assert_stable(&text, message),
        Ok(Frame::Batch(messages)) => messages.into_iter().for_each(|message| assert_stable(&text, message)),
        Err(refused) => assert_known(&refused),
    }
}

fn assert_stable(frame: &str, message: Result<Message<'_>, Refused>) {
    match message {
        Ok(message) => {
            let written = written(&message);
            match rpc::read(&written) {
                Ok(Frame::One(Ok(again))) => assert_eq!(format!("{again:?}"), format!("{message:?}")),
                other => panic!("{other:?}: {written}"),
            }
            if let Message::Call { method, params, .. } = message {
                assert_call_stable(frame, &method, params);
                assert_notification_stable(&method, params);
            }
        }
        Err(refused) => assert_known(&refused),
    }
}

fn assert_known(refused: &Refused) {
    assert!(refused.error.code().is_some() && !refused.error.message.is_empty(), "{refused:?}");
}

fn written(message: &Message<'_>) -> String {
    let mut out = Vec::new();
    let written = match message {
        Message::Call { id, method, params } => rpc::write_call(&mut out, id.as_ref(), method, params),
        Message::Answer { id, answered: Ok(result) } => {
            rpc::write_answer(&mut out, id.as_ref().expect("what is answered was called"), result)
        }
        Message::Answer { id, answered: Err(error) } => rpc::write_error(&mut out, id.as_ref(), error),
    };
    written.expect("memory takes everything");
    String::from_utf8(out).expect("JSON is text")
}

fn assert_call_stable(frame: &str, method: &str, params: Option<&RawValue>) {
    match Call::read(frame, method, params) {
        Ok(call) => assert_eq!(Call::read("", method, Some(&call_parameters(&call))), Ok(call)),
        Err(error) => assert!(error.code().is_some() && !error.message.is_empty(), "{error:?}"),
    }
}

fn assert_notification_stable(name: &str, params: Option<&RawValue>) {
    if let Ok(Some(told)) = Notification::read(name, params) {
        assert_eq!(Notification::read(name, Some(&notification_parameters(&told))), Ok(Some(told)));
    }
}

macro_rules! parameters {
    ($of:expr, $Of:ident: $($Variant:ident)*) => {
        match $of {
            $($Of::$Variant(parameters) => serde_json::value::to_raw_value(parameters),)*
        }
    };
}

macro_rules! call_parameters {
    (
        methods { $($(#[$documentation:meta])* $name:literal $Method:ident -> $Answer:ty { $($declared:tt)* };)* }
        local { $($(#[$local_documentation:meta])* $Local:ident -> $LocalAnswer:ty { $($local:tt)* };)* }
    ) => {
        /// The parameters of a call, as they are written.
        pub fn call_parameters(call: &Call) -> Box<RawValue> {
            let written = match call {
                $(Call::$Method(parameters) => serde_json::value::to_raw_value(parameters),)*
                $(Call::$Local(_) => panic!("clients cannot send it"),)*
            };
            written.expect("it can be written")
        }
    };
}
with_requests!(call_parameters);

/// The parameters of a notification, as they are written.
pub fn notification_parameters(notification: &Notification) -> Box<RawValue> {
    let written = parameters!(
        notification, Notification:
        Environments Happenings Percepts Scene Activity Mail Conversations Remarks Ended Closing
    );
    written.expect("it can be written")
}

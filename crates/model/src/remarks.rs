//! What observers see of an agent: its calls with their answers.

use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use situated_tools::visible_lines;

/// Maximum number of characters of the arguments of a call as JSON, and of its answer.
const ARGUMENTS: usize = 4_000;
const TOLD: usize = 8_000;

/// Maximum number of characters of the name of a tool.
const NAME: usize = 100;

/// The text in place of a secret, in what people and recordings see.
pub(crate) const HIDDEN: &str = "•••";

/// The calls of an agent, and its secrets.
#[derive(Default)]
pub(crate) struct Calls {
    counted: Mutex<Counted>,
    secrets: Mutex<Vec<String>>,
}

/// The calls so far.
#[derive(Clone, Copy, Default)]
struct Counted {
    calls: u64,
    wrong: u64,
    characters: u64,
    time: Duration,
}

impl Calls {
    /// Hides a text in all remarks from now on.
    pub(crate) fn hide(&self, secret: &str) {
        if !secret.is_empty() {
            self.secrets.lock().push(secret.into());
        }
    }

    /// Counts from zero again.
    pub(crate) fn begin(&self) {
        *self.counted.lock() = Counted::default();
    }

    /// Counts a call, and returns the [readable](Self::readable) remark about it.
    pub(crate) fn remark(&self, tool: &str, arguments: Value, told: Result<&str, &str>, took: Duration) -> Value {
        let text = told.unwrap_or_else(|error| error);
        let Counted { calls, wrong, characters, time } = {
            let mut counted = self.counted.lock();
            counted.calls += 1;
            counted.wrong += u64::from(told.is_err());
            counted.characters += text.chars().count() as u64;
            counted.time += took;
            *counted
        };
        let secrets = &self.secrets.lock();
        let arguments = readable(arguments, secrets);
        let written = arguments.to_string();
        let arguments = if written.len() <= ARGUMENTS { arguments } else { shortened(&written, ARGUMENTS).into() };
        json!({
            "called": shortened(&readable_text(tool, secrets), NAME),
            "arguments": arguments,
            // Cut only now, so that no part of a secret remains.
            "told": shortened(&readable_text(text, secrets), TOLD),
            "isWrong": told.is_err(),
            "seconds": took.as_secs_f64(),
            "soFar": { "calls": calls, "wrongCalls": wrong, "characters": characters, "seconds": time.as_secs_f64() },
        })
    }

    /// Returns a remark that everybody can read: without secrets, and with codes for characters that people do not see.
    pub(crate) fn readable(&self, remark: Value) -> Value {
        readable(remark, &self.secrets.lock())
    }
}

fn readable(value: Value, secrets: &[String]) -> Value {
    match value {
        Value::String(text) => readable_text(&text, secrets).into(),
        Value::Array(all) => all.into_iter().map(|one| readable(one, secrets)).collect(),
        Value::Object(all) => {
            let entries = all.into_iter().map(|(key, one)| (readable_text(&key, secrets), readable(one, secrets)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

fn readable_text(text: &str, secrets: &[String]) -> String {
    let visible = visible_lines(text);
    secrets.iter().fold(visible, |text, secret| {
        if text.contains(secret.as_str()) { text.replace(secret.as_str(), HIDDEN) } else { text }
    })
}

fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}… (cut)", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_have_no_secrets_and_no_hidden_characters() {
        let calls = Calls::default();
        calls.hide("s3cret");
        calls.hide("");
        let arguments = json!({ "to": ["s3cret"], "s3cret": { "text": "my key is s3cret\u{202e}" } });
        let remark = calls.remark("send_mail", arguments, Err("no agent `s3cret`"), Duration::ZERO);
        assert_eq!(remark["arguments"], json!({ "to": ["•••"], "•••": { "text": "my key is •••\\u{202e}" } }));
        assert_eq!((&remark["told"], &remark["isWrong"]), (&json!("no agent `•••`"), &json!(true)));
        let before = "x".repeat(TOLD - 3);
        let remark = calls.remark("look", json!({}), Ok(&format!("{before}s3cret")), Duration::ZERO);
        assert_eq!(remark["told"], json!(format!("{before}•••")));
        assert_eq!(calls.readable(json!({ "error": ["wrong key s3cret"] })), json!({ "error": ["wrong key •••"] }));
    }

    #[test]
    fn remarks_are_bounded_and_count_calls() {
        let calls = Calls::default();
        let huge = "x".repeat(100_000);
        let remark = calls.remark(&huge, json!({ "text": huge }), Ok(&huge), Duration::from_secs(1));
        assert!(remark.to_string().len() < 13_000);
        assert!(remark["told"].as_str().is_some_and(|told| told.ends_with("x… (cut)")));
        let remark = calls.remark("look", json!({}), Err("it has ended"), Duration::from_secs(1));
        let so_far = json!({ "calls": 2, "wrongCalls": 1, "characters": 100_012, "seconds": 2.0 });
        assert_eq!(remark["soFar"], so_far);
        calls.begin();
        assert_eq!(calls.remark("look", json!({}), Ok("Step 0."), Duration::ZERO)["soFar"]["calls"], 1);
    }
}

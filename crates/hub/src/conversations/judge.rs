//! Judging messages by their interaction protocols, with a log of the broken rules.

use situated_acl::{Message, Monitor, Profile};

/// Maximum numbers of conversations, and of sessions in them, whose states are remembered.
const CONVERSATIONS: usize = 10_000;
const SESSIONS: usize = 100_000;

/// Maximum number of broken rules that are logged in a second.
const LOGGED: u32 = 10;

/// Maximum number of characters of a broken rule in words.
const LONGEST: usize = 600;

/// Judges all messages of a server.
pub(super) struct Judge {
    monitor: Monitor,
    /// The second of the last log entry.
    second: u64,
    /// The number of broken rules in this second.
    count: u32,
}

impl Judge {
    pub(super) fn new() -> Self {
        Self { monitor: Monitor::with_bounds(Profile::Standard, CONVERSATIONS, SESSIONS), second: 0, count: 0 }
    }

    /// Returns the rules that a message breaks, in words, and logs them.
    pub(super) fn judge(&mut self, message: &Message<'_>, time: u64) -> Vec<String> {
        let found = self.monitor.observe(message, i64::try_from(time).unwrap_or(i64::MAX));
        let violations = found.iter().filter(|finding| finding.is_violation());
        let violations: Vec<String> = violations.map(|finding| in_words(&finding.to_string())).collect();
        violations.iter().for_each(|violation| self.log(violation, time));
        violations
    }

    /// Logs a broken rule, unless there were many in this second: agents must not fill the log.
    fn log(&mut self, violation: &str, time: u64) {
        let second = time / 1000;
        if second != self.second {
            let left_out = self.count.saturating_sub(LOGGED);
            if left_out > 0 {
                tracing::warn!(left_out, "further messages broke the rules of their protocols");
            }
            (self.second, self.count) = (second, 0);
        }
        self.count = self.count.saturating_add(1);
        if self.count <= LOGGED {
            tracing::warn!(violation, "a message breaks the rules of its protocol");
        }
    }
}

/// Shortens a text with names that agents choose, and removes characters that could move the cursor of a terminal.
fn in_words(text: &str) -> String {
    text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use situated_acl::{Performative, Protocol};

    use super::*;

    #[test]
    fn names_the_broken_rule_and_ignores_other_messages() {
        let mut judge = Judge::new();
        let cfp = Message::cfp().from("A").to("B").protocol(Protocol::ContractNet).conversation_id("c\u{1b}1");
        assert_eq!(judge.judge(&cfp, 0), [""; 0]);
        assert_eq!(judge.judge(&cfp.reply(Performative::Propose).from("B"), 1), [""; 0]);
        let [violation] = judge.judge(&cfp.reply(Performative::Inform).from("B"), 2).try_into().expect("one");
        let wanted =
            "`B` in conversation `c\u{FFFD}1`: fipa-contract-net, Proposed: `inform` by the participant is out of";
        assert!(violation.starts_with(wanted), "{violation}");
        assert_eq!(judge.judge(&Message::inform().from("A").to("B"), 3), [""; 0]);
        // After a restart, the judge does not know the beginning of this conversation.
        assert_eq!(Judge::new().judge(&cfp.reply(Performative::Propose).from("B"), 4), [""; 0]);
    }
}

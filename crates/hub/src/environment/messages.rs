//! Messages between agents in the recording of an environment.

use serde_json::value::to_raw_value;
use situated_acl::Message;
use situated_acl::json::AclMessage;
use situated_runtime::Time;

use super::Seat;
use crate::conversations::Inbox;

impl Seat {
    /// Records the messages that an agent of this environment has sent or gets; those of all agents if a driver advances
    /// the environment, since it is the only one then.
    pub(super) fn record_messages(&mut self, inbox: &Inbox, now: Time) {
        let (messages, lost) = inbox.take();
        if lost > 0 {
            let environment = self.profile.name().as_str();
            tracing::warn!(
                environment,
                lost,
                "messages are missing in the recording: the environment was busy for too long"
            );
        }
        for seen in messages {
            if !self.is_driven && !self.concerns(&seen.message) {
                continue;
            }
            let Ok(message) = to_raw_value(&AclMessage::from(&*seen.message)) else { continue };
            // An environment that has crashed is no longer recorded.
            let _ = self.owner.note_message(&message, &seen.violations, now);
        }
    }

    fn concerns(&self, message: &Message<'_>) -> bool {
        let mut parties = message.sender.iter().chain(&message.receivers);
        parties.any(|agent| self.residents.contains_key(&*agent.name))
    }
}

//! What a Forget-me-not does: it calls after who has put it down and gone.

use situated::iil::EcoString;

use super::device::Device;
use crate::messages::Message;

/// After how many steps who has put it down must have left the room. It cannot see that.
const GRACE: u64 = 100;

/// Where it is if it is in no room and knows no other places.
const ELSEWHERE: &str = "the hall";

/// Whether it has been put down.
#[derive(Clone, Debug, Default)]
pub(super) enum Reminder {
    /// Nobody has held it yet, or it has called already.
    #[default]
    Quiet,
    Held,
    /// Since this step.
    PutDown(u64),
}

impl Reminder {
    /// What to say after what it has been told.
    pub(super) fn watch(&mut self, device: &Device) -> Option<Message> {
        *self = match *self {
            _ if device.is_held => Reminder::Held,
            Reminder::Held => Reminder::PutDown(device.step),
            Reminder::PutDown(since) if device.step >= since + GRACE => return Some(self.call(device)),
            Reminder::PutDown(_) | Reminder::Quiet => return None,
        };
        None
    }

    /// What to say to its holder, who wants to go somewhere: a reminder, if that is elsewhere, and it does not come along.
    pub(super) fn hear_goal(&mut self, device: &Device, goal: &EcoString) -> Option<Message> {
        let leaves = matches!(self, Reminder::PutDown(_)) && device.whereabouts() != Some(goal);
        leaves.then(|| self.call(device))
    }

    fn call(&mut self, device: &Device) -> Message {
        *self = Reminder::Quiet;
        let room = device.whereabouts().cloned().unwrap_or_else(|| ELSEWHERE.into());
        Message::YouForgotMe { room }
    }
}

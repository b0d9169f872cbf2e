//! The checks of a message before it is accepted.

use ecow::EcoString;
use situated_acl::Message;

use super::failure::is_reported;
use super::{Limits, Mail, MailRefused, Routed};
use crate::shares::Amount;

impl Mail {
    /// Checks that a message to these receivers can be accepted.
    pub(super) fn check(
        &mut self,
        sender: &EcoString,
        message: &Message<'_>,
        bytes: usize,
        Routed { known, unknown, is_forged, account }: &Routed,
        now: u64,
    ) -> Result<(), MailRefused> {
        let Limits { receivers: limit, message_bytes, rate, .. } = self.limits;
        let count = message.receivers.len();
        match message.sender_name() {
            Some(claimed) if *is_forged => {
                return Err(MailRefused::Forged {
                    claimed: claimed.chars().take(256).collect(),
                    agent: sender.clone(),
                });
            }
            _ if count == 0 => return Err(MailRefused::NoReceiver),
            _ if count > limit => return Err(MailRefused::TooManyReceivers { count, limit }),
            _ if bytes > message_bytes => return Err(MailRefused::TooLarge { bytes, limit: message_bytes }),
            _ => {}
        }
        self.check_shares(account, known, bytes)?;
        if let [receiver, ..] = unknown.as_slice()
            && is_reported(message)
            && !self.has_room(sender, unknown.len(), unknown.len() * bytes)
        {
            return Err(MailRefused::NoRoomForFailure { agent: sender.clone(), receiver: receiver.clone() });
        }
        if !self.open(sender, now).allowance.take(known.len() + unknown.len(), rate, now) {
            return Err(MailRefused::TooFast { agent: sender.clone(), limit: rate });
        }
        Ok(())
    }

    /// Checks that the receivers have room for a message, within the shares of its account.
    fn check_shares(&self, account: &EcoString, receivers: &[EcoString], bytes: usize) -> Result<(), MailRefused> {
        let Limits { messages, mailbox_bytes, bytes: limit, .. } = self.limits;
        let of_mailbox = Amount { things: messages, bytes: mailbox_bytes };
        for agent in receivers {
            let Some(mailbox) = self.mailboxes.get(agent) else { continue };
            if mailbox.shares.allow(account, Amount { things: 1, bytes }, of_mailbox) {
                continue;
            }
            let agent = agent.clone();
            return Err(match mailbox.shares.of(account) {
                Amount { things: 0, .. } => MailRefused::Full { agent },
                Amount { things: messages, bytes } => MailRefused::ShareOfMailbox { agent, messages, bytes },
            });
        }
        let more = Amount { things: receivers.len(), bytes: receivers.len() * bytes };
        if self.shares.allow(account, more, Amount { things: usize::MAX, bytes: limit }) {
            return Ok(());
        }
        Err(match self.shares.of(account).bytes {
            0 => MailRefused::AllFull { limit },
            bytes => MailRefused::Share { bytes, limit },
        })
    }

    pub(super) fn has_room(&self, agent: &str, messages: usize, bytes: usize) -> bool {
        let waiting = self.mailboxes.get(agent).map_or(Amount::default(), |one| one.shares.all);
        waiting.things + messages <= self.limits.messages && waiting.bytes + bytes <= self.limits.mailbox_bytes
    }
}

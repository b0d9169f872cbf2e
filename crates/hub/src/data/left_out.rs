//! Removes the documents that depend on damaged parts that were left out of the data.

use situated::iil::EcoString;
use situated_store::{LEFT_OUT, LeftOut, Store};

use super::documents::{AGENT, CORRESPONDENT, LAST_LETTER, SESSION, SUBSCRIPTION, key_of_agent, key_of_subscription};
use super::kept::Kept;

/// Number of message numbers that are skipped when a part is left out: more than any mailbox that was left out can have
/// acknowledged beyond the others. Clients ignore messages with numbers that they know.
const SKIPPED: u64 = 1 << 32;

impl Kept {
    /// Removes what depends on parts that were left out of the store. If other changes are missing as well, clients may know
    /// of them; all sessions end then.
    pub(super) fn leave_out_dependents(&mut self, store: &Store, left_out: LeftOut) {
        if !left_out.is_rest_complete {
            let sessions = std::mem::take(&mut self.sessions);
            sessions.keys().for_each(|session| store.remove(SESSION, &session.to_string()));
            tracing::warn!(
                sessions = sessions.len(),
                "all sessions end: their clients may know of changes that are lost"
            );
        }
        let Self { environments, sessions, agents, subscriptions, correspondents, .. } = self;
        for (environment, agents) in agents {
            let has_environment = environments.contains_key(environment);
            agents.retain(|agent, kept| {
                let stays = has_environment && sessions.contains_key(&kept.session);
                if !stays {
                    store.remove(AGENT, &key_of_agent(environment, agent));
                    tracing::warn!(%agent, %environment, "left out with its environment or session");
                }
                stays
            });
        }
        correspondents.retain(|address, kept| {
            let stays = sessions.contains_key(&kept.session);
            if !stays {
                store.remove(CORRESPONDENT, address);
                tracing::warn!(agent = %address, "left out with its session");
            }
            stays
        });
        let has_environment = |one: &Option<EcoString>| one.as_ref().is_none_or(|one| environments.contains_key(one));
        for (environment, subscriptions) in subscriptions {
            subscriptions.retain(|one| {
                let stays = has_environment(environment) && sessions.contains_key(&one.session);
                if !stays {
                    store.remove(SUBSCRIPTION, &key_of_subscription(one.session, one.number));
                }
                stays
            });
        }
        let (letters, mailboxes) = &self.mail;
        let numbers = letters.iter().map(|letter| letter.number);
        let known = numbers.chain(mailboxes.iter().map(|(_, kept)| kept.acknowledged.max(kept.opened))).max();
        self.last_letter = self.last_letter.max(known.unwrap_or(0)) + SKIPPED;
        store.put(LAST_LETTER, "", &self.last_letter);
        store.remove(LEFT_OUT, "");
    }
}

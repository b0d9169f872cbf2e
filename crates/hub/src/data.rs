//! The persistent data of a hub: with it, environments and sessions continue in another process.

mod documents;
mod journal;
mod kept;
mod left_out;
mod names;

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use situated::iil::EcoString;
use situated_acl::json::AclMessage;
use situated_platform::directory::DirectoryChange;
use situated_platform::mail::MailChange;
use situated_runtime::wall_clock;
use situated_store::{Batch, Contents, Store, Unreadable};
use situated_wire::Rights;

use crate::error::Error;
use crate::limits::SessionLimits;

pub(crate) use documents::{KeptAgent, KeptCorrespondent, KeptEnvironment, KeptHosting, KeptSubscription};
pub(crate) use journal::EnvironmentJournal;
use kept::Kept;
pub use names::described;

use documents::{
    AGENT, CORRESPONDENT, ENVIRONMENT, KeptLetter, KeptMailbox, KeptServices, KeptSession, KeptWatching, LAST_LETTER,
    LETTER, MAILBOX, SERVICES, SESSION, STREAM, SUBSCRIPTION, WATCHING, key_of_agent, key_of_subscription,
};

/// The data of a hub: a store, and the part of its contents that the hub has not restored yet.
pub struct HubData {
    store: Arc<Store>,
    kept: Mutex<Kept>,
}

impl HubData {
    /// Reads the data of a hub from a store. The hub removes them from here when it restores environments and
    /// sessions.
    ///
    /// # Errors
    /// Returns an error if this version cannot read a document.
    pub fn read(store: Arc<Store>, contents: &mut Contents) -> Result<Arc<Self>, Unreadable> {
        let kept = Kept::read(&store, contents)?;
        // Journals without an environment: the process ended while it removed one.
        contents.journals().for_each(|key| store.end_journal(key));
        Ok(Arc::new(Self { store, kept: Mutex::new(kept) }))
    }

    /// The store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The part that the hub has not restored yet.
    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock()
    }

    /// Returns an error if the store cannot be written at present.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.store.failure().map_or(Ok(()), |reason| Err(Error::NotKept { reason: reason.to_string() }))
    }

    /// Whether the store cannot be written at present.
    pub(crate) fn has_failed(&self) -> bool {
        self.store.has_failed()
    }

    /// Creates a unique key for the journal of a new environment of this name.
    pub(crate) fn new_journal_key(&self, environment: &str) -> String {
        // Unique: two environments of one name never exist at the same time, and no client can remove one within its
        // first millisecond.
        format!("{environment}/{}", wall_clock())
    }

    /// Returns the number from which messages to other platforms are counted. The first process with these data stores it.
    pub(crate) fn stream(&self, first: u64) -> u64 {
        self.kept().stream.unwrap_or_else(|| {
            self.store.put(STREAM, "", &first);
            first
        })
    }

    pub(crate) fn put_environment(&self, name: &str, environment: &KeptEnvironment) {
        self.store.put(ENVIRONMENT, name, environment);
    }

    pub(crate) fn remove_environment(&self, name: &str, journal: &str) {
        self.store.remove(ENVIRONMENT, name);
        self.store.end_journal(journal);
    }

    pub(crate) fn put_session(&self, number: u64, rights: Rights, limits: SessionLimits) {
        self.store.put(SESSION, &number.to_string(), &KeptSession::new(rights, limits));
    }

    pub(crate) fn remove_session(&self, number: u64) {
        self.store.remove(SESSION, &number.to_string());
    }

    pub(crate) fn put_agent(&self, session: u64, environment: &EcoString, agent: &EcoString, address: &EcoString) {
        let address = Some(address.clone()).filter(|address| address != agent);
        let (environment, agent) = (environment.clone(), agent.clone());
        let key = key_of_agent(&environment, &agent);
        self.store.put(AGENT, &key, &KeptAgent { environment, agent, session, address });
    }

    pub(crate) fn remove_agent(&self, environment: &str, agent: &str) {
        self.store.remove(AGENT, &key_of_agent(environment, agent));
    }

    pub(crate) fn put_correspondent(&self, session: u64, address: &EcoString, agent: &EcoString) {
        let agent = Some(agent.clone()).filter(|agent| agent != address);
        self.store.put(CORRESPONDENT, address, &KeptCorrespondent { session, agent });
    }

    pub(crate) fn remove_correspondent(&self, address: &str) {
        self.store.remove(CORRESPONDENT, address);
    }

    /// Stores changes of the mail and the directory together.
    pub(crate) fn change_mail(&self, changes: Vec<MailChange>, directory: Vec<DirectoryChange>) {
        let mut batch = Batch::default();
        for change in directory {
            match change {
                DirectoryChange::Registered(agent, description, until) => {
                    batch.put(SERVICES, &agent, &KeptServices { description, until });
                }
                DirectoryChange::Removed(agent) => batch.remove(SERVICES, &agent),
                DirectoryChange::Subscribed(number, agent, message, until) => {
                    let message = AclMessage::from(&*message);
                    batch.put(WATCHING, &number.to_string(), &KeptWatching { agent, message, until });
                }
                DirectoryChange::Unsubscribed(number) => batch.remove(WATCHING, &number.to_string()),
            }
        }
        for change in changes {
            match change {
                MailChange::Accepted(letter) => batch.put(LETTER, &letter.number.to_string(), &KeptLetter::of(&letter)),
                MailChange::Done(number) => batch.remove(LETTER, &number.to_string()),
                MailChange::Mailbox(agent, kept) => batch.put(MAILBOX, &agent, &KeptMailbox::from(kept)),
                MailChange::Closed(agent, last) => {
                    batch.remove(MAILBOX, &agent);
                    batch.put(LAST_LETTER, "", &last);
                }
            }
        }
        self.store.change(batch);
    }

    pub(crate) fn put_subscription(&self, subscription: &KeptSubscription) {
        self.store.put(SUBSCRIPTION, &key_of_subscription(subscription.session, subscription.number), subscription);
    }

    pub(crate) fn remove_subscription(&self, session: u64, number: u64) {
        self.store.remove(SUBSCRIPTION, &key_of_subscription(session, number));
    }
}

//! The agents of all sessions. Within an environment, an agent has a name of its own; on the whole server, an address.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Weak};

use situated::iil::EcoString;
use situated_platform::mail::Letter;
use situated_platform::names::{OF_ENVIRONMENT, within, without};

use crate::conversations::with_names;
use crate::session::Session;

/// The environments whose agents one knows by their names alone.
pub(super) type View = BTreeSet<EcoString>;

/// An agent of a session, in any number of environments.
pub(super) struct Agent {
    /// Its name in its session and its environments.
    pub(super) name: EcoString,
    pub(super) session: Weak<Session>,
    pub(super) environments: View,
}

/// All agents, by address. The address of an agent is its name if that was free, otherwise its name with that of its
/// environment. It stays the same until the agent leaves, and its mailbox and services are those of its address.
#[derive(Default)]
pub(super) struct Agents {
    by_address: HashMap<EcoString, Agent>,
    /// The addresses of the agents of each environment, by name.
    placed: HashMap<EcoString, HashMap<EcoString, EcoString>>,
    /// The addresses that differ from the names of their agents, by session and name.
    namesakes: BTreeMap<(u64, EcoString), EcoString>,
}

impl Agents {
    /// Adds an agent of a session, or one more environment to it; `None` for an agent that only has a mailbox. Returns its
    /// address: the former one if it had one in another process.
    ///
    /// # Errors
    /// Returns the session whose agent has the name in the environment, or the only address that this agent could have.
    pub(super) fn join(
        &mut self,
        session: &Arc<Session>,
        name: &EcoString,
        environment: Option<&EcoString>,
        former: Option<&EcoString>,
    ) -> Result<EcoString, Weak<Session>> {
        let present = environment.and_then(|environment| self.placed(environment, name));
        if let Some(agent) = present.and_then(|address| self.at(address))
            && !is(&agent.session, session)
        {
            return Err(agent.session.clone());
        }
        let address = match self.address(session, name) {
            Some(address) => address.clone(),
            None => self.free_address(name, environment, former)?,
        };
        if address != *name {
            self.namesakes.insert((session.number(), name.clone()), address.clone());
        }
        let agent = self.by_address.entry(address.clone()).or_insert_with(|| Agent {
            name: name.clone(),
            session: Arc::downgrade(session),
            environments: View::new(),
        });
        if let Some(environment) = environment {
            agent.environments.insert(environment.clone());
            self.placed.entry(environment.clone()).or_default().insert(name.clone(), address.clone());
        }
        Ok(address)
    }

    /// The address for a new agent.
    fn free_address(
        &self,
        name: &EcoString,
        environment: Option<&EcoString>,
        former: Option<&EcoString>,
    ) -> Result<EcoString, Weak<Session>> {
        let address = former.unwrap_or(name);
        let Some(holder) = self.at(address) else { return Ok(address.clone()) };
        let Some(environment) = environment.filter(|_| former.is_none()) else { return Err(holder.session.clone()) };
        let place = within(name, environment);
        let (mut address, mut number) = (place.clone(), 1);
        // An agent that has left this environment, and is in another one, keeps its address.
        while self.at(&address).is_some() {
            number += 1;
            address = format!("{place}{OF_ENVIRONMENT}{number}").into();
        }
        Ok(address)
    }

    /// Removes an environment from an agent of a session, or the whole agent if this was all it had. Returns its address.
    pub(super) fn leave(
        &mut self,
        session: &Session,
        name: &EcoString,
        environment: Option<&EcoString>,
        is_last: bool,
    ) -> Option<EcoString> {
        let address = self.address(session, name)?.clone();
        let agent = self.by_address.get_mut(&address)?;
        if let Some(environment) = environment.filter(|environment| agent.environments.remove(*environment)) {
            let placed = self.placed.get_mut(environment)?;
            placed.remove(name);
            if placed.is_empty() {
                self.placed.remove(environment);
            }
        }
        if is_last {
            self.by_address.remove(&address);
            self.namesakes.remove(&(session.number(), name.clone()));
        }
        Some(address)
    }

    /// The address of an agent of a session.
    pub(super) fn address(&self, session: &Session, name: &str) -> Option<&EcoString> {
        match self.by_address.get_key_value(name) {
            Some((address, agent)) if is(&agent.session, session) && agent.name == name => Some(address),
            _ if self.namesakes.is_empty() => None,
            _ => self.namesakes.get(&(session.number(), name.into())),
        }
    }

    /// The agent with an address.
    pub(super) fn at(&self, address: &str) -> Option<&Agent> {
        self.by_address.get(address)
    }

    /// The addresses of all agents, with their sessions.
    pub(super) fn all(&self) -> impl Iterator<Item = (&EcoString, &Weak<Session>)> {
        self.by_address.iter().map(|(address, agent)| (address, &agent.session))
    }

    /// The address of the agent of this name in an environment.
    fn placed(&self, environment: &str, name: &str) -> Option<&EcoString> {
        self.placed.get(environment)?.get(name)
    }

    /// The address of the agent that one means who knows the agents of these environments by their names alone. All others
    /// have their addresses, or their names with those of their environments. An address with the name of no environment,
    /// such as `ada~`, is one in any case.
    pub(super) fn find(&self, view: &View, name: &str) -> Option<&EcoString> {
        let address = |name: &str| self.by_address.get_key_value(name).map(|(address, _)| address);
        let mut near = view.iter().filter(|_| self.has_namesakes());
        near.find_map(|environment| self.placed(environment, name)).or_else(|| address(name)).or_else(|| {
            let (agent, environment) = without(name)?;
            self.placed(&environment, agent).or_else(|| address(name.strip_suffix(OF_ENVIRONMENT)?))
        })
    }

    /// The name by which one who knows the agents of these environments by their names alone [finds](Self::find) the agent
    /// with this address; `None` if that is the address.
    pub(super) fn name_of(&self, view: &View, address: &str) -> Option<EcoString> {
        let agent = self.at(address).filter(|_| self.has_namesakes())?;
        let placed = agent.environments.iter().map(|environment| within(&agent.name, environment));
        let any = within(address, "");
        let mut names = [agent.name.clone(), address.into()].into_iter().chain(placed).chain([any]);
        names.find(|name| self.find(view, name).is_some_and(|found| found == address)).filter(|name| name != address)
    }

    /// A message with the names by which one who knows the agents of these environments by their names alone finds those
    /// in it.
    pub(super) fn as_known<'l>(&self, view: &View, letter: &'l Letter) -> Cow<'l, Letter> {
        if !self.has_namesakes() {
            return Cow::Borrowed(letter);
        }
        let message = with_names(letter.message.clone(), |address| self.name_of(view, address));
        let sender = self.name_of(view, &letter.sender).unwrap_or_else(|| letter.sender.clone());
        Cow::Owned(Letter { sender, message, ..letter.clone() })
    }

    /// Whether agents have the same name, in different environments.
    pub(super) fn has_namesakes(&self) -> bool {
        !self.namesakes.is_empty()
    }
}

/// Whether this is the session of an agent.
pub(super) fn is(owner: &Weak<Session>, session: &Session) -> bool {
    std::ptr::eq(owner.as_ptr(), session)
}

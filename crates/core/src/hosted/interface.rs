//! The interface to an environment that runs elsewhere. An input that needs the host becomes a request to it, which
//! takes effect later. Reports of the host are inputs too, so that recordings contain them.

use super::counter::Counter;
use super::mirror::Mirror;
use crate::host::{Host, HostRequests, HostTask, HostTerms, KeptRequests};
use crate::iil::{Action, EcoString, Parameter};
use crate::interface::{
    Bookkeeping, Command, Effect, EnvironmentInterface, EpisodeView, Error, EventsHeard, Form, Input, Interface,
    Perception, Progress, ReadAction, Results, Since, Time, Version,
};
use crate::menu::{Menu, MenuRequest};
use crate::ontology::typed::Mismatch;
use crate::ontology::{Ontology, Signature, Unsound};
use crate::scene::Scene;
use crate::size::Size;

/// The task for each entity, or the reason why it cannot do this.
pub(super) type TasksByEntity = Vec<(EcoString, Result<HostTask, Error>)>;

/// The interface to an environment that runs elsewhere. Send each of its
/// [requests](EnvironmentInterface::host_requests_mut) to the host, in order, and give it each
/// [report](crate::host::HostReport) of the host as an [input](Input::Host).
///
/// A [local](Self::local) host is in this process and performs each task at once: the effect of an input is known
/// when it has been applied, and there are no requests for others. A host that fails, or sends an invalid report,
/// ends its environment.
pub struct HostedInterface {
    pub(super) interface: Interface<Mirror>,
    pub(super) requests: HostRequests,
    pub(super) host: Option<Box<dyn Host>>,
    /// Counts the percepts.
    pub(super) counter: Counter,
    /// The size of the ontology.
    pub(super) ontology_bytes: usize,
    /// Maximum number of bytes that the host can make the interface keep.
    pub(super) limit: usize,
}

impl HostedInterface {
    /// Creates an interface to an environment with this ontology, which is not initialized.
    ///
    /// # Errors
    /// Returns an error if the ontology is unsound.
    pub fn new(ontology: Ontology, terms: HostTerms) -> Result<Self, Unsound> {
        ontology.check()?;
        let (abilities, ontology_bytes) = (abilities(&ontology), ontology.heap_bytes());
        Ok(Self {
            interface: Interface::with(ontology, abilities),
            requests: HostRequests::new(terms),
            host: None,
            counter: Counter::default(),
            ontology_bytes,
            limit: usize::MAX,
        })
    }

    /// Creates an interface to the environment of a host in this process, with this ontology, which is not
    /// initialized.
    ///
    /// # Errors
    /// Returns an error if the ontology is unsound.
    pub fn local(ontology: Ontology, host: impl Host + 'static) -> Result<Self, Unsound> {
        Ok(Self { host: Some(Box::new(host)), ..Self::new(ontology, HostTerms::default())? })
    }

    /// Restores the environment from a [snapshot](EpisodeView::snapshot) in a recording. It has no host and can only
    /// be read.
    ///
    /// # Errors
    /// Returns an error if the ontology is unsound, or the bytes are not a snapshot of such an environment.
    pub fn of_snapshot(ontology: Ontology, snapshot: &[u8]) -> Result<Self, Error> {
        let mut hosted = Self::empty(ontology)?;
        hosted.interface.load(snapshot)?;
        if let Some(episode) = hosted.interface.episode_mut() {
            let (mirror, context) = episode.parts_mut();
            mirror.counter = hosted.counter.clone();
            mirror.count(context);
        }
        Ok(hosted)
    }

    /// Creates an interface to the environment of a host that another process had, from its
    /// [snapshot](EpisodeView::snapshot), if there was an episode, and the open requests to the host.
    ///
    /// # Errors
    /// Returns an error if the ontology is invalid for an environment, or the bytes are not a snapshot of such an
    /// environment.
    pub fn resumed(
        ontology: Ontology,
        terms: HostTerms,
        snapshot: Option<&[u8]>,
        requests: KeptRequests,
    ) -> Result<Self, Error> {
        let mut hosted = match snapshot {
            Some(snapshot) => Self::of_snapshot(ontology, snapshot)?,
            None => Self::empty(ontology)?,
        };
        hosted.requests = HostRequests::resumed(terms, requests);
        Ok(hosted)
    }

    /// An interface that has no host and is not yet initialized.
    fn empty(ontology: Ontology) -> Result<Self, Error> {
        let environment = ontology.name.clone();
        Self::new(ontology, HostTerms::default())
            .map_err(|reason| Error::NotSaved { environment, reason: reason.to_string() })
    }

    /// Applies an input without its tasks for the host.
    pub(super) fn apply_here(&mut self, input: &Input, now: Time) -> Result<Effect, Error> {
        self.interface.set_time(now.wall);
        let effect = match input {
            Input::Manage(Command::Kill) => self.kill(now),
            Input::Manage(command) => self.request(self.task_of(command), now),
            Input::Step => self.request(self.task_of_step(), now),
            Input::ActByDefault { entity } => self.request(self.task_of_default(entity), now),
            Input::RequestEntity { agent, entity_type, name } => {
                self.request(self.task_of_entity(agent, entity_type, name.as_deref()), now)
            }
            Input::Act { agent, action, entities } => {
                self.tasks_of_action(agent, action, entities).map(|tasks| self.act(tasks, now))
            }
            Input::Host(report) => self.hear((**report).clone()),
            input => self.interface.apply(input, now),
        };
        self.pass_on_tasks(now);
        effect
    }

    fn request(&mut self, task: Result<HostTask, Error>, now: Time) -> Result<Effect, Error> {
        task.map(|task| Effect::Requested(self.requests.add(task, now.monotonic)))
    }

    fn act(&mut self, tasks: TasksByEntity, now: Time) -> Effect {
        let (mut requests, mut refused): (_, Results) = (Vec::new(), Results::new());
        for (entity, task) in tasks {
            match task {
                Ok(task) => requests.push(self.requests.add(task, now.monotonic)),
                Err(error) => refused.push((entity, Err(error))),
            }
        }
        if requests.is_empty() { Effect::Results(refused) } else { Effect::Acting { requests, refused } }
    }

    fn kill(&mut self, now: Time) -> Result<Effect, Error> {
        let task = self.task_of(&Command::Kill)?;
        self.interface.kill()?;
        self.requests.let_go();
        self.requests.add(task, now.monotonic);
        Ok(Effect::Done)
    }

    /// Asks the host to perform the tasks that changes of entities' agents require.
    fn pass_on_tasks(&mut self, now: Time) {
        let tasks = self.interface.episode_mut().map(|episode| episode.parts_mut().0.take_tasks());
        for task in tasks.into_iter().flatten() {
            self.requests.add(task, now.monotonic);
        }
    }

    /// Returns the names of the entities through which an agent wants to act.
    pub(super) fn targets(&self, agent: &str, entities: &[EcoString]) -> Vec<EcoString> {
        let targets = self.interface.check_acting(agent, entities).unwrap_or_default();
        targets.into_iter().map(|entity| self.interface.entity_name(entity)).collect()
    }

    fn elsewhere(&self, what: &'static str) -> Error {
        Error::RunElsewhere { environment: self.interface.ontology().name.clone(), what: what.into() }
    }
}

/// Returns, for each entity type, which of all actions its entities can do.
pub(super) fn abilities(ontology: &Ontology) -> Vec<Vec<bool>> {
    let all: Vec<&Signature> = ontology.all_actions().collect();
    let is_same =
        |one: &Signature, other: &Signature| one.name == other.name && one.parameters.len() == other.parameters.len();
    let can = |own: &[Signature]| all.iter().map(|one| own.iter().any(|other| is_same(one, other))).collect();
    ontology.entity_types.iter().map(|of| can(&of.actions)).collect()
}

impl EnvironmentInterface for HostedInterface {
    fn bookkeeping(&self) -> &Bookkeeping {
        &self.interface
    }

    /// The episode as the host reported it last.
    fn episode(&self) -> Option<&dyn EpisodeView> {
        EnvironmentInterface::episode(&self.interface)
    }

    fn apply(&mut self, input: &Input, now: Time) -> Result<Effect, Error> {
        let effect = self.apply_here(input, now);
        match self.host.take() {
            Some(mut host) => {
                let effect = self.perform_tasks(&mut *host, input, effect, now);
                self.host = Some(host);
                effect
            }
            None => effect,
        }
    }

    fn read(&self, action: &Action) -> Result<ReadAction, Mismatch> {
        self.interface.read(action)
    }

    fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
    ) -> Result<Vec<(EcoString, Perception)>, Error> {
        EnvironmentInterface::perceive(&mut self.interface, agent, entities, form, since)
    }

    fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error> {
        EnvironmentInterface::watch(&mut self.interface, entity, since)
    }

    fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        EnvironmentInterface::acknowledge(&mut self.interface, agent, entity, version)
    }

    fn know(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        EnvironmentInterface::know(&mut self.interface, agent, entity, version)
    }

    fn query(&self, entity: Option<&str>, property: &str) -> Result<Option<Parameter>, Error> {
        EnvironmentInterface::query(&self.interface, entity, property)
    }

    fn menu(&self, agent: &str, entity: &str, request: MenuRequest) -> Result<Menu, Error> {
        EnvironmentInterface::menu(&self.interface, agent, entity, request)
    }

    fn scene(&self, viewer: Option<&str>) -> Result<Scene, Error> {
        self.interface.scene(viewer)
    }

    fn save(&self) -> Result<Vec<u8>, Error> {
        Err(self.elsewhere("saved"))
    }

    fn load(&mut self, _: &[u8]) -> Result<(), Error> {
        Err(self.elsewhere("loaded"))
    }

    fn progress(&self) -> Progress {
        self.interface.progress()
    }

    fn resume_progress(&mut self, progress: &Progress) {
        self.interface.resume_progress(progress);
    }

    fn set_heard(&mut self, agent: &str, entity: &str, heard: EventsHeard) -> Result<(), Error> {
        self.interface.set_heard(agent, entity, heard)
    }

    fn take_back(&mut self, agent: &str, entity: &str) -> Result<EventsHeard, Error> {
        self.interface.take_back(agent, entity)
    }

    fn abandon(&mut self) {
        self.interface.abandon();
    }

    fn host_bytes(&self) -> usize {
        self.count_bytes() + self.requests.bytes()
    }

    fn limit_host(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    fn is_hosted(&self) -> bool {
        true
    }

    fn host_requests(&self) -> Option<&HostRequests> {
        self.host.is_none().then_some(&self.requests)
    }

    fn host_requests_mut(&mut self) -> Option<&mut HostRequests> {
        self.host.is_none().then_some(&mut self.requests)
    }
}

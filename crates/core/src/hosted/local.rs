//! The interface to an environment whose host is in this process.

use std::collections::BTreeMap;

use super::interface::HostedInterface;
use crate::host::{Host, HostDeadlines, HostReport, HostRequest, HostTask};
use crate::iil::{Action, EcoString, Parameter};
use crate::interface::{
    ActionResult, Bookkeeping, Effect, EnvironmentInterface, EpisodeView, Error, Form, Input, Perception, ReadAction,
    Since, Time, Version,
};
use crate::menu::Menu;
use crate::ontology::typed::Mismatch;
use crate::ontology::{Ontology, Unsound};
use crate::scene::Scene;

/// The interface to an environment whose [`Host`] is in this process and performs each task at once: the effect of an input
/// is known when it has been applied. A host that breaks down, or that reports what cannot be, ends its environment.
#[derive(Debug)]
pub struct LocalHosted<H> {
    hosted: HostedInterface,
    host: H,
}

/// The effects of the inputs for which the host was asked, by the number of the request.
type Outcomes = BTreeMap<u64, Result<Effect, Error>>;

impl<H: Host> LocalHosted<H> {
    /// An interface to the environment of this host, which declares this ontology and is not yet initialized.
    ///
    /// # Errors
    /// When the ontology is none that an environment can have.
    pub fn new(ontology: Ontology, host: H) -> Result<Self, Unsound> {
        Ok(Self { hosted: HostedInterface::new(ontology, HostDeadlines::default())?, host })
    }

    /// The host.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// Lets the host perform its tasks, and those that follow from them.
    fn perform_tasks(&mut self, now: Time) -> Result<Outcomes, Error> {
        let mut outcomes = Outcomes::new();
        while let Some(HostRequest { number, task }) = self.hosted.requests.take_next() {
            let is_kill = task == HostTask::Kill;
            let reported = self.host.perform(task).map_err(|reason| self.gone(reason));
            let taken_over = reported.and_then(|(answer, update)| {
                let report = HostReport::Answer { number, answer, update };
                // A host that is to be killed may say what it likes.
                if is_kill { Ok(Effect::Done) } else { self.hosted.apply(&Input::Host(report.into()), now) }
            });
            match taken_over {
                Ok(Effect::Answered { outcome, .. }) => drop(outcomes.insert(number, *outcome)),
                Ok(_) => {}
                Err(error) => {
                    // It may have ended already.
                    let _ = self.hosted.interface.kill();
                    self.hosted.requests.let_go();
                    return Err(error);
                }
            }
        }
        Ok(outcomes)
    }

    fn gone(&self, reason: String) -> Error {
        Error::HostGone { environment: self.hosted.interface.ontology().name.clone(), reason }
    }
}

impl<H: Host> EnvironmentInterface for LocalHosted<H> {
    fn bookkeeping(&self) -> &Bookkeeping {
        self.hosted.bookkeeping()
    }

    fn episode(&self) -> Option<&dyn EpisodeView> {
        self.hosted.episode()
    }

    fn apply(&mut self, input: &Input, now: Time) -> Result<Effect, Error> {
        let effect = self.hosted.apply(input, now);
        let order = match (input, &effect) {
            (Input::Act { agent, entities, .. }, Ok(Effect::Acting { .. })) => self.hosted.targets(agent, entities),
            _ => Vec::new(),
        };
        let mut outcomes = self.perform_tasks(now)?;
        match effect? {
            Effect::Requested(number) => outcomes.remove(&number).unwrap_or(Ok(Effect::Done)),
            Effect::Acting { requests, refused } => {
                let mut results: Vec<(EcoString, ActionResult)> = refused;
                for number in requests {
                    if let Some(Effect::Results(acted)) = outcomes.remove(&number).transpose()? {
                        results.extend(acted);
                    }
                }
                results.sort_by_key(|(entity, _)| order.iter().position(|target| target == entity));
                Ok(Effect::Results(results))
            }
            effect => Ok(effect),
        }
    }

    fn read(&self, action: &Action) -> Result<ReadAction, Mismatch> {
        self.hosted.read(action)
    }

    fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
    ) -> Result<Vec<(EcoString, Perception)>, Error> {
        self.hosted.perceive(agent, entities, form, since)
    }

    fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error> {
        self.hosted.watch(entity, since)
    }

    fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        self.hosted.acknowledge(agent, entity, version)
    }

    fn query(&self, entity: Option<&str>, property: &str) -> Result<Option<Parameter>, Error> {
        self.hosted.query(entity, property)
    }

    fn menu(&self, agent: &str, entity: &str, at: Option<(f64, f64)>) -> Result<Menu, Error> {
        self.hosted.menu(agent, entity, at)
    }

    fn scene(&self, viewer: Option<&str>) -> Result<Scene, Error> {
        self.hosted.scene(viewer)
    }

    fn save(&self) -> Result<Vec<u8>, Error> {
        self.hosted.save()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), Error> {
        self.hosted.load(saved)
    }

    fn abandon(&mut self) {
        self.hosted.abandon();
    }
}

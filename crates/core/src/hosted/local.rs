//! Hosts in this process.

use std::collections::BTreeMap;

use super::interface::HostedInterface;
use crate::host::{Host, HostReport, HostRequest, HostTask};
use crate::interface::{Effect, Error, Input, Time};

/// The effects of inputs that needed the host, by the number of the request.
type Outcomes = BTreeMap<u64, Result<Effect, Error>>;

impl HostedInterface {
    /// Lets a local host perform the tasks of an input, and those that follow from them. Returns the final effect of
    /// the input.
    pub(super) fn perform_tasks(
        &mut self,
        host: &mut dyn Host,
        input: &Input,
        effect: Result<Effect, Error>,
        now: Time,
    ) -> Result<Effect, Error> {
        let order = match (input, &effect) {
            (Input::Act { agent, entities, .. }, Ok(Effect::Acting { .. })) => self.targets(agent, entities),
            _ => Vec::new(),
        };
        let mut outcomes = Outcomes::new();
        while let Some(HostRequest { number, task }) = self.requests.take_next() {
            match self.perform(host, number, task, now) {
                Ok(Effect::Answered { outcome, .. }) => drop(outcomes.insert(number, *outcome)),
                Ok(_) => {}
                Err(error) => {
                    // It may have ended already.
                    let _ = self.interface.kill();
                    self.requests.let_go();
                    return Err(error);
                }
            }
        }
        match effect? {
            Effect::Requested(number) => outcomes.remove(&number).unwrap_or(Ok(Effect::Done)),
            Effect::Acting { requests, refused } => {
                let mut results = refused;
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

    fn perform(&mut self, host: &mut dyn Host, number: u64, task: HostTask, now: Time) -> Result<Effect, Error> {
        let is_kill = task == HostTask::Kill;
        let (answer, update) = host.perform(task).map_err(|reason| {
            let environment = self.interface.ontology().name.clone();
            Error::HostGone { environment, reason }
        })?;
        let report = HostReport::Answer { number, answer, update };
        // The environment has ended, whatever its host reports.
        if is_kill { Ok(Effect::Done) } else { self.apply_here(&Input::Host(report.into()), now) }
    }
}

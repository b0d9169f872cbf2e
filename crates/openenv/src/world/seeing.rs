//! The observations of a learner.

use situated::encoding::ElementType;
use situated::environment::Ending;
use situated::iil::Percept;
use situated::ontology::Ontology;
use situated_hub::{Encode, EntityPerception, EntityResult};

use super::World;
use crate::error::OpenEnvError;
use crate::messages::{Numbers, Observation, Observed, Seen, SeenByOne, Sight};

impl Sight {
    /// Adds what an entity perceives: everything that holds, or the changes.
    pub(super) fn perceive(&mut self, perceptions: Vec<EntityPerception>) {
        for EntityPerception { resync, add, delete, events, .. } in perceptions {
            if resync {
                self.percepts.get_or_insert_default().extend(texts(&add));
            } else {
                self.new.get_or_insert_default().extend(texts(&add));
                self.gone.get_or_insert_default().extend(texts(&delete));
            }
            self.events.extend(texts(&events));
        }
    }

    /// Adds the results of an action.
    pub(super) fn find_out(&mut self, results: Vec<EntityResult>) {
        for EntityResult { percepts, error, .. } in results {
            self.events.extend(texts(&percepts));
            if let Some(error) = error {
                self.failed = Some(error.to_string());
            }
        }
    }

    /// Adds the rules, for an entity of this type.
    pub(super) fn instruct(&mut self, ontology: &Ontology, entity_type: &str) {
        let known = situated_tools::introduction(ontology, entity_type);
        self.instructions = Some(format!("{}\n\n{known}", ontology.documentation));
    }
}

impl World {
    /// Adds numbers and rewards to what the entities perceive. Notes the end of the episode.
    pub(super) async fn observe(&mut self, sights: Vec<Sight>) -> Result<Observed, OpenEnvError> {
        let mut seen = Vec::with_capacity(sights.len());
        let (mut ending, mut are_all_over) = (None, true);
        for (controlled, sight) in self.entities.iter().zip(sights) {
            let (environment, entity) = (self.environment.clone(), controlled.entity.clone());
            let now = self.session.ask(Encode { environment, entity }).await?;
            ending = now.ending.or(ending);
            let step = now.moment.step;
            self.episode.step = step;
            let mut one = Seen { step, sight, ..Seen::default() };
            let (mut reward, mut is_over) = (None, None);
            if let Some((encoded, encoding)) = now.encoded.zip(controlled.encoding.as_ref()) {
                reward = Some(encoded.reward);
                is_over = match (encoded.terminated, encoded.truncated) {
                    (true, _) => Some(Ending::Terminated),
                    (false, true) => Some(Ending::Truncated),
                    (false, false) => None,
                };
                one.numbers = Some(match encoding.element {
                    ElementType::U8 => {
                        Numbers::U8(encoded.observation.into_iter().map(|number| number as u8).collect())
                    }
                    ElementType::F32 => Numbers::F32(encoded.observation),
                });
                one.mask = Some(encoded.mask);
            }
            are_all_over &= is_over.is_some();
            seen.push((one, reward, is_over));
        }
        if are_all_over {
            ending = ending.or(seen.iter().find_map(|(_, _, is_over)| *is_over));
        }
        let step = self.episode.step;
        if self.episode.max_steps.is_some_and(|most| step >= most) {
            ending = ending.or(Some(Ending::Truncated));
        }
        let metadata = match ending {
            Some(ending) => Some(self.end(ending).await?),
            None => None,
        };
        let done = metadata.is_some();
        let rewards = seen.iter().filter_map(|(_, reward, _)| *reward);
        let reward = rewards.reduce(|sum, reward| sum + reward);
        let observation = if self.setting.is_of_several() {
            let by_name = self.entities.iter().zip(seen).map(|(controlled, (seen, reward, is_over))| {
                (controlled.entity.0.clone(), SeenByOne { seen, reward, done: done || is_over.is_some() })
            });
            Observation::Several { step, entities: by_name.collect(), metadata: metadata.clone() }
        } else {
            let one = seen.into_iter().next().map(|(seen, ..)| seen).unwrap_or_default();
            Observation::One(Box::new(Seen { metadata: metadata.clone(), ..one }))
        };
        Ok(Observed { observation, reward, done, metadata })
    }
}

impl Observed {
    /// Removes the rewards, which belong to no step.
    pub(super) fn forget_rewards(&mut self) {
        self.reward = None;
        if let Observation::Several { entities, .. } = &mut self.observation {
            entities.values_mut().for_each(|seen| seen.reward = None);
        }
    }
}

fn texts(percepts: &[Percept]) -> impl Iterator<Item = String> {
    percepts.iter().map(ToString::to_string)
}

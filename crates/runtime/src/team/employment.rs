//! Starting and ending programs as entities appear and disappear.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use situated::agent::Agent;
use situated::iil::EcoString;
use situated::interface::{Drained, EnvironmentInterface, Happening};

use super::{Member, MemberId, Post, Team};
use crate::error::Error;
use crate::error::what_panicked;
use crate::guarded::GuardedEnvironment;
use situated::interface::Input;
use situated::interface::Time;

impl Team {
    /// Starts programs for new entities, ends those of deleted ones, and restarts all in a new episode.
    pub(crate) fn follow(&mut self, environment: &mut GuardedEnvironment, now: Time) -> Result<(), Error> {
        if self.rules.is_empty() {
            return Ok(());
        }
        let Drained { happenings, missed } = environment.read(|interface| interface.drain(&mut self.observer))?;
        if missed > 0 {
            self.dismiss_the_lost(environment, now)?;
        }
        let mut come = Vec::new();
        for happening in happenings {
            match happening {
                Happening::Episode { number, seed: Some(seed) } if number != self.episode => {
                    (self.episode, self.seed) = (number, seed);
                    self.restart(environment)?;
                    come.extend(environment.read(|interface| interface.free_entities())?);
                }
                Happening::New { entity, .. } | Happening::Freed { entity, .. } => come.push(entity),
                Happening::Deleted { entity, .. } => {
                    self.trouble.remove(&entity);
                    if let Some(rule) = self.reserved.remove(&entity) {
                        self.rules[rule].employed -= 1;
                        self.has_room |= self.rules[rule].count.is_some();
                    }
                    self.dismiss(environment, &entity, None, now)?;
                }
                Happening::Released { entity, agent } => self.dismiss(environment, &entity, Some(&agent), now)?,
                _ => {}
            }
        }
        if std::mem::take(&mut self.has_room) {
            come.extend(environment.read(|interface| interface.free_entities())?);
        }
        come.into_iter().try_for_each(|entity| self.employ(environment, entity, now))
    }

    /// Returns the agents that have left since the last call.
    pub(crate) fn take_dismissed(&mut self) -> Vec<EcoString> {
        std::mem::take(&mut self.dismissed)
    }

    /// Ends all programs, because the environment has ended.
    pub(crate) fn stop(&mut self) {
        self.members.clear();
        self.by_entity.clear();
        self.reserved.clear();
        self.rules.iter_mut().for_each(|rule| rule.employed = 0);
    }

    /// Ends the program of an entity that has crashed. The entity gets no other.
    pub(crate) fn give_up(
        &mut self,
        environment: &mut GuardedEnvironment,
        id: MemberId,
        reason: &str,
        now: Time,
    ) -> Result<(), Error> {
        let Some(Member { entity, program, .. }) = self.members.get(&id) else { return Ok(()) };
        let entity = entity.clone();
        let trouble = format!("program `{program}` of entity `{entity}` has crashed: {reason}");
        self.trouble.insert(entity.clone(), trouble);
        self.dismiss(environment, &entity, None, now)
    }

    /// Restarts all programs for a new episode. Programs of deleted entities end when the environment reports it.
    fn restart(&mut self, environment: &mut GuardedEnvironment) -> Result<(), Error> {
        self.employed = 0;
        self.settled = None;
        self.failures.clear();
        self.trouble.clear();
        let members: Vec<(MemberId, usize, EcoString)> =
            self.members.iter().map(|(id, member)| (*id, member.rule, member.entity.clone())).collect();
        for (id, rule, entity) in members {
            if let Ok(mind) = self.make_mind(environment, rule, &entity)?
                && let Some(member) = self.members.get_mut(&id)
            {
                member.restart(mind);
            }
        }
        Ok(())
    }

    /// Starts a program for a free entity, if a rule matches.
    fn employ(&mut self, environment: &mut GuardedEnvironment, entity: EcoString, now: Time) -> Result<(), Error> {
        let is_free = |interface: &dyn EnvironmentInterface| {
            interface.associated_agents(&entity).is_ok_and(|agents| agents.is_empty())
        };
        if self.trouble.contains_key(&entity) || self.reserved.contains_key(&entity) || !environment.read(is_free)? {
            return Ok(());
        }
        let Some(rule) = self.rule_for(environment, &entity)? else { return Ok(()) };
        if self.rules[rule].program.employ.is_none() {
            self.rules[rule].employed += 1;
            self.reserved.insert(entity, rule);
            return Ok(());
        }
        let program = self.rules[rule].program.name.clone();
        let mind = match self.make_mind(environment, rule, &entity)? {
            Ok(mind) => mind,
            Err(reason) => {
                self.trouble.insert(entity, reason);
                return Ok(());
            }
        };
        let agent = EcoString::from(format!("{program}-{entity}"));
        if let Err(refused) = self.register(environment, &agent, &entity, now)? {
            self.trouble.insert(entity, refused);
            return Ok(());
        }
        let id = self.next;
        self.next += 1;
        self.settled = None;
        self.rules[rule].employed += 1;
        self.by_entity.insert(entity.clone(), id);
        self.members.insert(id, Member::new(agent, entity, program, rule, mind));
        Ok(())
    }

    /// Registers the agent of a program for this entity, or returns why that fails.
    fn register(
        &self,
        environment: &mut GuardedEnvironment,
        agent: &EcoString,
        entity: &EcoString,
        now: Time,
    ) -> Result<Result<(), String>, Error> {
        let refused = |error| match error {
            Error::Interface(refused) => Ok(Err(refused.to_string())),
            crash => Err(crash),
        };
        if let Err(error) = environment.apply(&Input::Register { agent: agent.clone() }, now) {
            return refused(error);
        }
        let associate = Input::Associate { agent: agent.clone(), entity: entity.clone() };
        if let Err(error) = environment.apply(&associate, now) {
            let refused = refused(error)?;
            environment.apply(&Input::Unregister { agent: agent.clone() }, now)?;
            return Ok(refused);
        }
        Ok(Ok(()))
    }

    /// Returns the index of the first rule that matches the entity and has room.
    fn rule_for(&self, environment: &mut GuardedEnvironment, entity: &str) -> Result<Option<usize>, Error> {
        let entity_type = environment.read(|interface| interface.entity_type(entity).map(EcoString::from))?;
        let Ok(entity_type) = entity_type else { return Ok(None) };
        Ok(self.rules.iter().position(|rule| {
            rule.entity.as_ref().is_none_or(|name| name == entity)
                && rule.entity_type.as_ref().is_none_or(|of| *of == entity_type)
                && rule.count.is_none_or(|limit| rule.employed < limit)
        }))
    }

    /// Starts the program of this rule for an entity, or returns why that fails.
    fn make_mind(
        &mut self,
        environment: &mut GuardedEnvironment,
        rule: usize,
        entity: &str,
    ) -> Result<Result<Box<dyn Agent>, String>, Error> {
        self.employed += 1;
        let (seed, number, program) = (self.seed, self.employed, &mut self.rules[rule].program);
        environment.read(|interface| {
            let entity_type = interface.entity_type(entity).map_err(|error| error.to_string())?;
            let post = Post { entity, entity_type, ontology: interface.ontology(), seed, number };
            let Some(employ) = &mut program.employ else { return Err("no program decides for this entity".into()) };
            let employed = catch_unwind(AssertUnwindSafe(|| employ(&post)));
            employed.unwrap_or_else(|panic| {
                let (name, reason) = (&program.name, what_panicked(&*panic));
                Err(format!("program `{name}` of entity `{entity}` has crashed: {reason}"))
            })
        })
    }

    /// Ends the programs whose entities were deleted or belong to other agents.
    fn dismiss_the_lost(&mut self, environment: &mut GuardedEnvironment, now: Time) -> Result<(), Error> {
        let members: Vec<(EcoString, EcoString)> =
            self.members.values().map(|member| (member.entity.clone(), member.agent.clone())).collect();
        for (entity, agent) in members {
            let agents = environment.read(|interface| interface.associated_agents(&entity))?;
            if !agents.is_ok_and(|agents| agents.contains(&agent)) {
                self.dismiss(environment, &entity, None, now)?;
            }
        }
        let reserved = std::mem::take(&mut self.reserved).into_iter();
        let (kept, gone): (BTreeMap<_, _>, BTreeMap<_, _>) =
            environment.read(|interface| reserved.partition(|(entity, _)| interface.entity_id(entity).is_ok()))?;
        self.reserved = kept;
        gone.values().for_each(|rule| self.rules[*rule].employed -= 1);
        // An entity with the same name may appear again.
        let trouble = std::mem::take(&mut self.trouble).into_iter();
        self.trouble = environment
            .read(|interface| trouble.filter(|(entity, _)| interface.entity_id(entity).is_ok()).collect())?;
        Ok(())
    }

    /// Ends the program of this entity, if its agent has this name.
    fn dismiss(
        &mut self,
        environment: &mut GuardedEnvironment,
        entity: &str,
        agent: Option<&str>,
        now: Time,
    ) -> Result<(), Error> {
        let found = self.by_entity.get(entity).copied();
        let Some(id) = found.filter(|id| agent.is_none_or(|agent| self.members[id].agent == agent)) else {
            return Ok(());
        };
        self.by_entity.remove(entity);
        let Some(Member { agent, rule, .. }) = self.members.remove(&id) else { return Ok(()) };
        self.rules[rule].employed -= 1;
        self.has_room |= self.rules[rule].count.is_some();
        self.dismissed.push(agent.clone());
        // Another client may have unregistered it.
        match environment.apply(&Input::Unregister { agent }, now) {
            Err(Error::Interface(_)) => Ok(()),
            done => done.map(drop),
        }
    }
}

//! Creating a world, and taking the entities that the learner controls in it.

use std::sync::atomic::Ordering;

use situated::iil::EcoString;
use situated::ontology::Pace;
use situated_hub::{
    AgentRule, Associate, CreateEnvironment, DescribeEncoding, DescribeKind, EntityListed, ListEntities, LocalSession,
    Name, Register,
};

use super::{ControlledEntity, Episode, Model, World};
use crate::error::OpenEnvError;
use crate::options::{Control, IDLE, Setting};

impl World {
    /// Creates a world with an episode that has not started.
    pub(crate) async fn begin(
        session: &LocalSession,
        model: &Model,
        setting: Setting,
        seed: u64,
    ) -> Result<Self, OpenEnvError> {
        let Model { environment, ontology, parameters, entity_type, worlds } = model;
        let kind = Name::from(ontology.name.as_str());
        let known =
            session.ask(DescribeKind { kind: kind.clone() }).await.map_err(|error| OpenEnvError::no_world(&error))?;
        let usual = known.agents.first().map(|agent| agent.name.0.clone());
        let others = setting.others.clone().or(usual).filter(|name| name != IDLE);
        let mut agents = setting.control.reserved(entity_type.as_ref());
        agents.extend(others.map(|name| rule(None, Some(name))));
        let number = worlds.fetch_add(1, Ordering::Relaxed) + 1;
        let mut all = parameters.clone();
        all.extend(setting.parameters.clone());
        let creation = CreateEnvironment {
            environment: Some(format!("{environment}-learner-{number}").into()),
            parameters: all,
            seed: Some(seed),
            pace: Some(Pace::Lockstep),
            agents,
            temporary: true,
            ..CreateEnvironment::new(kind)
        };
        let created = session.ask(creation).await;
        let environment = created.map_err(|error| OpenEnvError::no_world(&error))?.status.environment;
        Ok(Self {
            session: session.clone(),
            environment,
            ontology: ontology.clone(),
            preferred: entity_type.clone(),
            setting,
            number,
            entities: Vec::new(),
            episode: Episode::default(),
        })
    }

    /// Takes the entities that the learner controls, unless it has them from the last episode.
    pub(super) async fn enter(&mut self) -> Result<(), OpenEnvError> {
        let listed = self.session.ask(ListEntities { environment: self.environment.clone() }).await?.entities;
        let wanted: Vec<EntityListed> = match &self.setting.control {
            Control::First => vec![self.first(&listed)?.clone()],
            Control::One(entity) => vec![find(&listed, entity)?.clone()],
            Control::Several(entities) => {
                entities.iter().map(|entity| find(&listed, entity).cloned()).collect::<Result<_, _>>()?
            }
        };
        let is_new = self.entities.is_empty();
        self.entities.clear();
        for (place, EntityListed { entity, entity_type, agents }) in wanted.into_iter().enumerate() {
            let (environment, agent) = (self.environment.clone(), self.agent(place));
            if is_new {
                self.session.ask(Register { environment: environment.clone(), agent: agent.clone() }).await?;
            }
            if !agents.contains(&agent) {
                let (environment, agent, entity) = (environment.clone(), agent.clone(), entity.clone());
                self.session.ask(Associate { environment, agent, entity }).await?;
            }
            let encoding = self.session.ask(DescribeEncoding { environment, entity_type: entity_type.clone() }).await?;
            self.entities.push(ControlledEntity { agent, entity, entity_type, encoding: encoding.0 });
        }
        Ok(())
    }

    /// Returns the first entity whose type has an encoding, or the first one, if no other agent controls it.
    fn first<'a>(&self, entities: &'a [EntityListed]) -> Result<&'a EntityListed, OpenEnvError> {
        let own = self.agent(0);
        let is_free = |entity: &&EntityListed| entity.agents.iter().all(|agent| *agent == own);
        let is_preferred =
            |entity: &&EntityListed| self.preferred.as_ref().is_none_or(|of| *of == entity.entity_type.0);
        let first = entities.iter().filter(is_preferred).find(is_free);
        first.ok_or_else(|| {
            OpenEnvError::invalid("the world has no entity to control; set its `parameters` so that it has")
        })
    }

    /// The name of the agent with this number.
    fn agent(&self, place: usize) -> Name {
        format!("learner-{}.{}", self.number, place + 1).into()
    }
}

impl Control {
    /// Returns the rules that keep the learner's entities free for it.
    fn reserved(&self, entity_type: Option<&EcoString>) -> Vec<AgentRule> {
        match self {
            Control::First => {
                vec![AgentRule { entity_type: entity_type.cloned().map(Name), count: Some(1), ..rule(None, None) }]
            }
            Control::One(entity) => vec![rule(Some(entity), None)],
            Control::Several(entities) => entities.iter().map(|entity| rule(Some(entity), None)).collect(),
        }
    }
}

fn rule(entity: Option<&EcoString>, agent: Option<EcoString>) -> AgentRule {
    AgentRule { entity: entity.cloned().map(Name), entity_type: None, count: None, agent: agent.map(Name) }
}

fn find<'a>(entities: &'a [EntityListed], name: &str) -> Result<&'a EntityListed, OpenEnvError> {
    entities.iter().find(|listed| listed.entity.as_str() == name).ok_or_else(|| {
        let known: Vec<&str> = entities.iter().map(|listed| listed.entity.as_str()).take(20).collect();
        let name: String = name.chars().take(100).collect();
        OpenEnvError::invalid(format!("the world has no entity `{name}`, expected one of: {}", known.join(", ")))
    })
}

//! An environment in which a check takes place. The check knows only its description.

use serde_json::{Value, json};
use situated::agent::random_action;
use situated::iil::Parameter;
use situated::ontology::{EntityType, Ontology, Signature, Type};
use situated::random::Random;
use situated::reading;

use crate::server::client::Client;
use crate::server::stop::{Checked, Stop, ensure};

/// An environment in which a check takes place.
pub(crate) struct Environment {
    pub(crate) name: String,
    pub(crate) ontology: Ontology,
    pub(crate) pace: Value,
}

/// An agent with an entity.
#[derive(Clone)]
pub(crate) struct Actor {
    pub(crate) agent: String,
    pub(crate) entity: String,
    pub(crate) entity_type: String,
}

impl Environment {
    /// Describes the environment of this name.
    pub(crate) async fn describe(client: &Client, name: &Value) -> Checked<Self> {
        let described = client.get("describe", json!({ "environment": name })).await?;
        let name = described["status"]["environment"].as_str().unwrap_or_default().to_owned();
        let (ontology, pace) = (read_ontology(&described["ontology"])?, described["status"]["pace"].clone());
        Ok(Self { name, ontology, pace })
    }

    /// Whether time advances although no agent acts.
    pub(crate) fn moves_by_itself(&self) -> bool {
        !self.pace["realTime"].is_null()
    }

    /// Adds the name of the environment to the parameters.
    pub(crate) fn of(&self, mut params: Value) -> Value {
        params["environment"] = self.name.as_str().into();
        params
    }

    /// Lists the entities with their agents.
    pub(crate) async fn entities(&self, client: &Client) -> Checked<Vec<Value>> {
        let listed = client.get("listEntities", self.of(json!({}))).await?;
        listed["entities"].as_array().cloned().ok_or_else(|| Stop::failed("a list of `entities`", &listed))
    }

    /// Returns an entity from the list.
    pub(crate) async fn entity(&self, client: &Client, name: &str) -> Checked<Value> {
        let entities = self.entities(client).await?;
        let found = entities.iter().find(|entity| entity["entity"] == name);
        found.cloned().ok_or_else(|| Stop::failed(format!("entity `{name}`"), json!(entities)))
    }

    /// Returns the status.
    pub(crate) async fn status(&self, client: &Client) -> Checked<Value> {
        Ok(client.get("status", self.of(json!({}))).await?["status"].clone())
    }

    /// Registers an agent.
    pub(crate) async fn register(&self, client: &Client, agent: &str) -> Checked {
        client.get("register", self.of(json!({ "agent": agent }))).await.map(drop)
    }

    /// Registers an agent, and gives it a free entity or requests one.
    pub(crate) async fn enter(&self, client: &Client, agent: &str) -> Checked<Actor> {
        self.register(client, agent).await?;
        let free = |entity: &&Value| entity["agents"].as_array().is_some_and(Vec::is_empty);
        if let Some(entity) = self.entities(client).await?.iter().find(free) {
            let name = entity["entity"].as_str().unwrap_or_default();
            client.get("associate", self.of(json!({ "agent": agent, "entity": name }))).await?;
            return Ok(actor(agent, name, &entity["entityType"]));
        }
        for EntityType { name: entity_type, .. } in &self.ontology.entity_types {
            let ask = self.of(json!({ "agent": agent, "entityType": entity_type }));
            if let Ok(given) = client.call("requestEntity", ask).await? {
                let name = given["entity"].as_str().unwrap_or_default();
                return Ok(actor(agent, name, &json!(entity_type)));
            }
        }
        Err(Stop::skipped("there is no free entity"))
    }

    /// Returns the actions of an entity's type, each with parameters of the declared types.
    pub(crate) fn actions(&self, actor: &Actor) -> Checked<Vec<Value>> {
        let of = self.ontology.find_entity_type(&actor.entity_type);
        let of = of.ok_or_else(|| Stop::failed("a type that is declared for every entity", &actor.entity_type))?;
        Ok(of.actions.iter().filter_map(|action| sample_action(action, &self.ontology)).collect())
    }

    /// Returns an action that an entity can try.
    pub(crate) fn action(&self, actor: &Actor) -> Checked<Value> {
        let first = self.actions(actor)?.into_iter().next();
        first.ok_or_else(|| Stop::skipped("its entities can do nothing"))
    }

    /// The parameters of `act` for an entity.
    pub(crate) fn acting(&self, actor: &Actor) -> Checked<Value> {
        Ok(self.of(json!({ "agent": actor.agent, "action": self.action(actor)? })))
    }

    /// Executes some actions; where time advances by itself, waits for steps.
    pub(crate) async fn act_times(&self, client: &Client, actor: &Actor, times: usize) -> Checked {
        let actions = self.actions(actor)?;
        ensure(times == 0 || !actions.is_empty(), "an action", &actor.entity_type)?;
        for action in actions.iter().cycle().take(times) {
            client.get("act", self.of(json!({ "agent": actor.agent, "action": action }))).await?;
        }
        Ok(())
    }

    /// Returns the perception of an agent's entity.
    pub(crate) async fn perceive(&self, client: &Client, actor: &Actor, form: &str, since: &str) -> Checked<Value> {
        let ask = self.of(json!({ "agent": actor.agent, "entities": [actor.entity], "form": form, "since": since }));
        let perceived = client.get("perceive", ask).await?;
        perception_of(&perceived["perceptions"], actor)
    }
}

/// Finds the perception of one entity among those of all.
pub(crate) fn perception_of(received: &Value, actor: &Actor) -> Checked<Value> {
    let found = received.as_array().into_iter().flatten().find(|received| received["entity"] == actor.entity.as_str());
    found.cloned().ok_or_else(|| Stop::failed(format!("a perception of `{}`", actor.entity), received))
}

fn actor(agent: &str, entity: &str, entity_type: &Value) -> Actor {
    let entity_type = entity_type.as_str().unwrap_or_default().to_owned();
    Actor { agent: agent.to_owned(), entity: entity.to_owned(), entity_type }
}

/// Parses the ontology in a description, and checks that it is complete.
pub(crate) fn read_ontology(described: &Value) -> Checked<Ontology> {
    for text in ["name", "version", "documentation"] {
        let is_said = described[text].as_str().is_some_and(|text| !text.trim().is_empty());
        ensure(is_said, format!("an ontology has a `{text}`"), described)?;
    }
    let ontology: Ontology = reading::json(&described.to_string())
        .map_err(|error| Stop::failed("an ontology as in the reference", format!("{error}: {described}")))?;
    ontology.check().map_err(|unsound| Stop::failed("an ontology that is sound", unsound))?;
    ensure(!ontology.entity_types.is_empty(), "an environment has a type of entities", described)?;
    Ok(ontology)
}

/// Returns an action with parameters of the declared types, always the same; `None` if parameters cannot be
/// generated.
fn sample_action(signature: &Signature, ontology: &Ontology) -> Option<Value> {
    let mut sample = |of: &Type, _: &mut Random| match of {
        Type::Any | Type::Identifier => Some(Parameter::from("a")),
        Type::Number => Some(0.5.into()),
        Type::TruthValue => Some(true.into()),
        Type::Integer { minimum, maximum } => Some(1.max(*minimum).min(*maximum).into()),
        Type::Choice(words) => words.first().map(|word| word.name.as_str().into()),
        _ => None,
    };
    random_action(signature, ontology, &mut Random::new(1), &mut sample).map(|action| json!(action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generates_parameters_as_declared() {
        let field = |name: &str, of: Value| json!({ "name": name, "documentation": "", "type": of });
        let parameters = [field("x", json!({ "named": "Place" })), field("y", json!("number"))];
        let described = json!({
            "name": "town", "version": "1", "documentation": "A town.", "parameters": [], "pace": "reactive",
            "types": { "Place": { "documentation": "", "type": { "integer": { "minimum": 3, "maximum": 9 } } } },
            "entityTypes": [{
                "name": "walker", "documentation": "", "percepts": [],
                "actions": [{ "name": "go", "documentation": "", "parameters": parameters }],
            }],
            "relation": { "oneAgentPerEntity": false, "oneEntityPerAgent": false },
        });
        let ontology = read_ontology(&described).expect("it is whole");
        let action = sample_action(&ontology.entity_types[0].actions[0], &ontology);
        assert_eq!(action, Some(json!({ "name": "go", "args": [3, 0.5] })));
        let mut incomplete = described;
        incomplete["types"] = json!({});
        read_ontology(&incomplete).expect_err("the place is missing");
    }
}

//! A mill for tests of failures: any call can be made to panic, actions fail, and workers come and go. It logs its
//! actions and steps in order.

use serde::{Deserialize, Serialize, Serializer};
use situated::environment::{Context, Ending, EntityId, Environment, Failure, Measure, News, Percepts};
use situated::iil::Parameter;
use situated::interface::EnvironmentInterface;
use situated::ontology::Ontology;
use situated::ontology::typed::TypedAction;
use situated::scene::Scene;
use situated::{Action, InitParameters, Percept};

/// The actions of workers and guards.
#[derive(Clone, Debug, PartialEq, Action)]
pub enum Do {
    /// Gives a percept to all workers.
    Work { serial: u64 },
    /// The default action.
    Rest,
    /// Adds a worker.
    Bear,
    /// Deletes the entity.
    Vanish,
    /// Deletes the youngest entity.
    RemoveYoungest,
    /// Fails.
    Fail,
    /// No entity supports this action.
    Fly,
    /// Only guards support this action.
    #[action(entities("guard"))]
    Watch,
    /// Panics.
    Burst,
    /// Panics at the next call of this name: `step`, `results`, ...
    Arm { call: String },
}

/// The percepts of workers and guards.
#[derive(Clone, Debug, Percept)]
pub enum Perceive {
    #[percept(always)]
    Step { step: u64 },
    #[percept(event)]
    Heard { serial: u64 },
}

#[derive(Clone, Debug, InitParameters)]
pub struct Settings {
    #[parameter(default = 2)]
    pub workers: u8,
    #[parameter(default = 1)]
    pub guards: u8,
    /// Whether the mill deletes an entity as soon as it gets an agent, and adds another worker.
    #[parameter(default = false)]
    pub fleeting: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Mill {
    fleeting: bool,
    born: u32,
    log: Vec<String>,
    /// The name of the call that panics.
    #[serde(serialize_with = "write_unless_armed")]
    armed: String,
}

fn write_unless_armed<S: Serializer>(armed: &String, serializer: S) -> Result<S::Ok, S::Error> {
    assert_ne!(armed, "save", "it was armed");
    armed.serialize(serializer)
}

/// Returns the actions and steps of a mill, in order: `worker0 work(1)`, `step 1`.
pub fn log(interface: &dyn EnvironmentInterface) -> Vec<String> {
    match interface.query_property("log") {
        Ok(Some(Parameter::List(entries))) => entries.iter().map(text).collect(),
        _ => Vec::new(),
    }
}

fn text(entry: &Parameter) -> String {
    match entry {
        Parameter::Identifier(text) => text.to_string(),
        other => other.to_string(),
    }
}

impl Mill {
    fn check(&self, call: &str) {
        assert_ne!(self.armed, call, "it was armed");
    }

    fn add_worker(&mut self, context: &mut Context<Perceive>) -> Result<EntityId, Failure> {
        self.born += 1;
        context.add_entity(format!("child{}", self.born), "worker")
    }
}

impl Environment for Mill {
    type Parameters = Settings;
    type Action = Do;
    type Percept = Perceive;

    fn ontology() -> Ontology {
        Self::ontology_builder("mill", "1.0", "A mill.")
            .entity_type("worker", "It works.")
            .entity_type("guard", "It watches.")
            .property("log", "The actions and steps, in order: `worker0 work(1)`, `step 1`.")
            .build()
    }

    fn init(parameters: &Settings, context: &mut Context<Perceive>) -> Result<Self, Failure> {
        for number in 0..parameters.workers {
            context.add_entity(format!("worker{number}"), "worker")?;
        }
        for number in 0..parameters.guards {
            context.add_entity(format!("guard{number}"), "guard")?;
        }
        Ok(Mill { fleeting: parameters.fleeting, born: 0, log: Vec::new(), armed: String::new() })
    }

    fn act(&mut self, entity: EntityId, action: &Do, context: &mut Context<Perceive>) -> Result<(), Failure> {
        let name = context.entity(entity).map(|entity| entity.name.clone()).unwrap_or_default();
        match action {
            Do::Work { serial } => context.tell_all(&Perceive::Heard { serial: *serial }),
            Do::Bear => drop(self.add_worker(context)?),
            Do::Vanish => context.delete_entity(entity),
            Do::RemoveYoungest => {
                let youngest = context.entities().map(|(id, _)| id).max();
                youngest.into_iter().for_each(|id| context.delete_entity(id));
            }
            Do::Fail => return Err(Failure::new("it is too heavy")),
            Do::Fly => return Err(Failure::unsupported("it has no wings")),
            Do::Burst => panic!("the millstone has burst"),
            Do::Arm { call } => self.armed.clone_from(call),
            Do::Rest | Do::Watch => {}
        }
        self.log.push(format!("{name} {}", action.to_iil()));
        Ok(())
    }

    fn default_action(&self, _: EntityId, _: &Context<Perceive>) -> Option<Do> {
        self.check("default");
        Some(Do::Rest)
    }

    fn step(&mut self, context: &mut Context<Perceive>) {
        self.check("step");
        self.log.push(format!("step {}", context.step()));
    }

    fn percepts(&self, _: EntityId, context: &Context<Perceive>, percepts: &mut Percepts<'_, Perceive>) {
        self.check("percepts");
        percepts.add(Perceive::Step { step: context.step() });
    }

    fn hear(&mut self, news: News, context: &mut Context<Perceive>) {
        self.check("hear");
        if let News::Taken(entity) = news
            && self.fleeting
        {
            context.delete_entity(entity);
            self.add_worker(context).expect("the name is new");
        }
    }

    fn request(&mut self, _: &str, _: Option<&str>, context: &mut Context<Perceive>) -> Result<EntityId, Failure> {
        self.check("request");
        self.add_worker(context)
    }

    fn scene(&self, _: Option<EntityId>, _: &Context<Perceive>) -> Scene {
        self.check("scene");
        Scene::default()
    }

    fn ending(&self) -> Option<Ending> {
        self.check("ending");
        None
    }

    fn results(&self, _: &Context<Perceive>) -> Vec<Measure> {
        self.check("results");
        Vec::new()
    }

    fn query(&self, property: &str, _: &Context<Perceive>) -> Option<Parameter> {
        self.check("query");
        let entry = |entry: &String| Parameter::Identifier(entry.as_str().into());
        (property == "log").then(|| Parameter::List(self.log.iter().map(entry).collect()))
    }
}

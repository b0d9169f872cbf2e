//! Agents in Rust. An agent that ships with an environment implements [`Agent`] with that environment's own actions
//! and percepts; [`Translated`] turns it into an agent that uses the interface intermediate language, as programs
//! outside of the environment do.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::marker::PhantomData;

use crate::environment::Environment;
use crate::iil::{self, Function, Parameter};
use crate::interface::Perception;
use crate::ontology::typed::{TypedAction, TypedPercept};
use crate::ontology::{Ontology, Signature, Type, limits};
use crate::random::Random;

/// A program that decides for one entity.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an agent with actions `{A}` and percepts `{P}`",
    label = "needs `impl Agent`",
    note = "write `impl Agent<{A}, {P}> for {Self}`, with the method `decide`",
    note = "`Translated::new(agent)` turns an agent with typed actions and percepts into one that every program can run"
)]
pub trait Agent<A = iil::Action, P = iil::Percept>: Send {
    /// Returns the next action, given the changes in what the entity perceives; `None` means to wait.
    fn decide(&mut self, perception: &Perception<P>) -> Option<A>;
}

impl<A, P, T: Agent<A, P> + ?Sized> Agent<A, P> for Box<T> {
    fn decide(&mut self, perception: &Perception<P>) -> Option<A> {
        (**self).decide(perception)
    }
}

/// An environment that ships with agents.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no built-in agents",
    label = "needs `impl BuiltInAgents`",
    note = "write `impl BuiltInAgents for {Self}`, with the function `built_in_agents`"
)]
pub trait BuiltInAgents: Environment {
    /// Returns the agents; the first is the default.
    fn built_in_agents() -> Vec<BuiltInAgent>;
}

/// An agent that ships with an environment.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInAgent {
    /// The name: `explorer`.
    pub name: &'static str,
    /// A description in one sentence.
    pub documentation: &'static str,
    /// Makes an agent for the entity of this name and type; `None` if it cannot control that entity.
    pub make: fn(entity: &str, entity_type: &str) -> Option<Box<dyn Agent>>,
}

/// An agent that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdleAgent;

impl<A, P> Agent<A, P> for IdleAgent {
    fn decide(&mut self, _: &Perception<P>) -> Option<A> {
        None
    }
}

/// A typed agent that uses the interface intermediate language. It ignores percepts that it cannot translate.
#[derive(Debug)]
pub struct Translated<T, A, P> {
    agent: T,
    speaks: PhantomData<fn(P) -> A>,
}

impl<T, A, P> Translated<T, A, P> {
    /// Wraps an agent.
    pub fn new(agent: T) -> Self {
        Self { agent, speaks: PhantomData }
    }
}

impl<T, A, P> Agent for Translated<T, A, P>
where
    T: Agent<A, P>,
    A: TypedAction,
    P: TypedPercept,
{
    fn decide(&mut self, perception: &Perception) -> Option<iil::Action> {
        let understood = perception.translate(|percept| P::from_iil(percept).ok());
        self.agent.decide(&understood).map(|action| action.to_iil())
    }
}

/// Maximum depth of nested functions and lists.
const DEPTH: usize = 3;

/// Maximum length of a list.
const LENGTH: u64 = 3;

/// Chooses random actions. Names, and numbers without limits, are those that it perceives. It leaves out actions whose
/// parameters it cannot make up, such as messages.
#[derive(Clone, Debug)]
pub struct RandomAgent {
    ontology: Ontology,
    actions: Vec<Signature>,
    random: Random,
    /// The identifiers and numbers in the percepts that hold, with the number of their occurrences.
    perceived: BTreeMap<Parameter, usize>,
}

impl RandomAgent {
    /// Creates an agent for an entity of this type, with a generator of its own.
    pub fn new(ontology: &Ontology, entity_type: &str, mut random: Random) -> Self {
        let declared = ontology.find_entity_type(entity_type);
        let mut actions = declared.map(|of| of.actions.clone()).unwrap_or_default();
        let mut any_name = |of: &Type, _: &mut Random| (*of == Type::Identifier).then(|| "".into());
        actions.retain(|action| random_action(action, ontology, &mut random, &mut any_name).is_some());
        Self { ontology: ontology.clone(), actions, random, perceived: BTreeMap::new() }
    }

    fn update(&mut self, perception: &Perception) {
        if perception.resync {
            self.perceived.clear();
        }
        let perceived = &mut self.perceived;
        for percept in &perception.delete {
            each_value(&percept.parameters, &mut |value| {
                if let Entry::Occupied(mut count) = perceived.entry(value.clone()) {
                    *count.get_mut() -= 1;
                    if *count.get() == 0 {
                        count.remove();
                    }
                }
            });
        }
        for percept in &perception.add {
            each_value(&percept.parameters, &mut |value| *perceived.entry(value.clone()).or_default() += 1);
        }
    }
}

impl Agent for RandomAgent {
    fn decide(&mut self, perception: &Perception) -> Option<iil::Action> {
        self.update(perception);
        let Self { ontology, actions, random, perceived } = self;
        let mut known = |of: &Type, random: &mut Random| {
            let has_limits = match of {
                Type::Integer { minimum, maximum } => matches!(limits(*minimum, *maximum), (Some(_), Some(_))),
                Type::Identifier | Type::Number => false,
                _ => true,
            };
            let fitting: Vec<&Parameter> =
                perceived.keys().filter(|value| !has_limits && ontology.fits(of, value)).collect();
            random.choose(&fitting).copied().cloned()
        };
        let (before, after) = actions.split_at(random.index(actions.len()));
        // Until it has perceived a name, it chooses among the actions without names.
        after.iter().chain(before).find_map(|action| random_action(action, ontology, random, &mut known))
    }
}

/// Calls `each` with the identifiers and numbers among some parameters and their parts.
fn each_value(parameters: &[Parameter], each: &mut impl FnMut(&Parameter)) {
    for parameter in parameters {
        match parameter {
            Parameter::Identifier(_) | Parameter::Numeral(_) => each(parameter),
            Parameter::TruthValue(_) => {}
            Parameter::List(items) => each_value(items, each),
            Parameter::Function(function) => each_value(&function.parameters, each),
        }
    }
}

/// Returns a useful value of a type, such as the name of a perceived place; `None` if it knows no such value or a
/// random one is good enough.
pub type Known<'a> = dyn FnMut(&Type, &mut Random) -> Option<Parameter> + 'a;

/// Makes up an action with this signature. Optional parameters are left out; the others are known or random. Returns
/// `None` if a parameter cannot be made up, such as an identifier without known values.
pub fn random_action(
    signature: &Signature,
    ontology: &Ontology,
    random: &mut Random,
    known: &mut Known<'_>,
) -> Option<iil::Action> {
    let arguments = MakingUp { ontology, random, known }.arguments(signature, 0)?;
    Some(iil::Action::new(signature.name.as_str(), arguments))
}

struct MakingUp<'a, 'b> {
    ontology: &'a Ontology,
    random: &'a mut Random,
    known: &'a mut Known<'b>,
}

impl MakingUp<'_, '_> {
    /// Returns an argument for each required parameter, or `None` if one cannot be made up.
    fn arguments(&mut self, signature: &Signature, depth: usize) -> Option<Vec<Parameter>> {
        let required = signature.parameters.iter().filter(|field| !field.optional);
        required.map(|field| self.value(&field.of, depth)).collect()
    }

    fn value(&mut self, of: &Type, depth: usize) -> Option<Parameter> {
        let of = self.ontology.resolve(of);
        if let Some(known) = (self.known)(of, self.random) {
            return Some(known);
        }
        let random = &mut *self.random;
        match of {
            Type::Choice(words) => Some(Parameter::from(random.choose(words)?.name.as_str())),
            Type::Integer { minimum, maximum } => Some(integer(*minimum, *maximum, random).into()),
            Type::Number => Some(Parameter::from(random.unit())),
            Type::TruthValue => Some(Parameter::from(random.chance(0.5))),
            Type::List(of) if depth < DEPTH => {
                let length = random.below(LENGTH + 1);
                let items = (0..length).map(|_| self.value(of, depth + 1));
                items.collect::<Option<_>>().map(Parameter::List)
            }
            Type::Function(signature) if depth < DEPTH => {
                let arguments = self.arguments(signature, depth + 1)?;
                Some(Function::new(signature.name.as_str(), arguments).into())
            }
            _ => None,
        }
    }
}

fn integer(minimum: i64, maximum: i64, random: &mut Random) -> i64 {
    let span = maximum.wrapping_sub(minimum) as u64;
    let offset = if span == u64::MAX { random.bits() } else { random.below(span + 1) };
    minimum.wrapping_add(offset as i64)
}

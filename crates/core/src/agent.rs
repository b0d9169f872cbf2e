//! Agents: whoever decides. A program that ships with an environment is written against [`Agent`] with that
//! environment's own actions and percepts; [`Translated`] makes of it an agent that speaks the interface intermediate
//! language, so that it can live behind any door.

mod random;

use std::marker::PhantomData;

use crate::iil;
use crate::interface::Perception;
use crate::ontology::typed::{TypedAction, TypedPercept};

pub use random::RandomAgent;

/// Whoever decides for one entity.
pub trait Agent<A = iil::Action, P = iil::Percept>: Send {
    /// Given what it is told about its entity, says what to do next; nothing means to wait.
    fn decide(&mut self, perception: &Perception<P>) -> Option<A>;
}

impl<A, P, T: Agent<A, P> + ?Sized> Agent<A, P> for Box<T> {
    fn decide(&mut self, perception: &Perception<P>) -> Option<A> {
        (**self).decide(perception)
    }
}

/// An agent that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdleAgent;

impl<A, P> Agent<A, P> for IdleAgent {
    fn decide(&mut self, _: &Perception<P>) -> Option<A> {
        None
    }
}

/// A typed agent that speaks the interface intermediate language. It passes over percepts that it does not understand.
#[derive(Debug)]
pub struct Translated<T, A, P> {
    agent: T,
    speaks: PhantomData<fn(P) -> A>,
}

impl<T, A, P> Translated<T, A, P> {
    /// This agent, speaking the interface intermediate language.
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

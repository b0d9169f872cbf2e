//! Find the Goals with an owner that is driven in the thread of the benchmark, and two agents that act in every step.

use std::hint::black_box;

use situated::environment::Environment;
use situated::iil;
use situated::interface::{Command, Form, Interface, Since};
use situated::ontology::typed::TypedAction;
use situated_find_goals::{Action, FindGoals};
use situated_runtime::{Clock, Input, Owner, Reply, Tempo};

/// The entities and their agents: (agent, entity).
pub(crate) const ENTITIES: [(&str, &str); 2] = [("anna", "red"), ("bert", "blue")];

/// The actions of both entities, repeated over and over: red makes way for blue.
pub(crate) const ACTIONS: [[Action; 2]; 6] = [
    [Action::Up, Action::Up],
    [Action::Wait, Action::Wait],
    [Action::Left, Action::Left],
    [Action::Right, Action::Down],
    [Action::Down, Action::Right],
    [Action::Wait, Action::Left],
];

/// An owner with both agents, driven in this thread.
pub(crate) struct Driven {
    owner: Owner<usize>,
    clock: Clock,
    actions: Vec<[iil::Action; 2]>,
    next: usize,
}

/// Begins an episode with both agents.
pub(crate) fn drive(owner: Owner<usize>) -> Driven {
    let mut driven = Driven { owner, clock: Clock::new(), actions: actions(), next: 0 };
    for input in beginning() {
        driven.owner.apply(0, input, driven.clock.now());
        driven.reply();
    }
    driven
}

impl Driven {
    /// Lets both agents perceive and act.
    pub(crate) fn step(&mut self) {
        let now = self.clock.now();
        let actions = &self.actions[self.next % self.actions.len()];
        self.next += 1;
        for (index, ((agent, entity), action)) in ENTITIES.iter().zip(actions).enumerate() {
            let (form, since) = (Form::Update, Since::LastCall);
            black_box(self.owner.perceive(agent, &[], form, since, now).expect("its own"));
            self.owner.act(index, (*agent).into(), action.clone(), vec![(*entity).into()], None, now);
        }
        self.owner.poll(now);
        for _ in ENTITIES {
            black_box(self.reply());
        }
    }

    fn reply(&mut self) -> Reply {
        let (_, answered) = self.owner.next_reply().expect("all is answered");
        let reply = answered.expect("all is allowed");
        if let Reply::Results(results) = &reply {
            assert!(results[0].1.is_ok());
        }
        reply
    }
}

/// The owner of a maze.
pub(crate) fn owner<T>() -> Owner<T> {
    Owner::new(Box::new(Interface::<FindGoals>::new()), Tempo::of(&FindGoals::ontology()))
}

/// The inputs that start a maze in which both agents have their entities.
pub(crate) fn beginning() -> Vec<Input> {
    let mut inputs =
        vec![Input::Manage(Command::Init { parameters: [].into(), seed: 1 }), Input::Manage(Command::Start)];
    for (agent, entity) in ENTITIES {
        inputs.push(Input::Register { agent: agent.into() });
        inputs.push(Input::Associate { agent: agent.into(), entity: entity.into() });
    }
    inputs
}

/// The actions as agents write them.
pub(crate) fn actions() -> Vec<[iil::Action; 2]> {
    ACTIONS.iter().map(|both| both.map(|action| action.to_iil())).collect()
}

//! Percepts with which an environment answers actions.

use serde::{Deserialize, Serialize};
use situated::environment::Episode;
use situated::prelude::*;

/// Somebody who counts aloud.
#[derive(Serialize, Deserialize)]
struct Counter;

#[derive(Clone, Debug, Action)]
enum Do {
    /// Counts to a number, if it is at most 3.
    Count { to: u8 },
}

#[derive(Clone, Debug, Percept)]
#[percept(event)]
enum Hear {
    /// A number was said.
    Said { number: u8 },
}

impl Environment for Counter {
    type Parameters = ();
    type Action = Do;
    type Percept = Hear;

    fn ontology() -> Ontology {
        Self::ontology_builder("counter", "1.0", "Somebody who counts.").entity_type("child", "Counts.").build()
    }

    fn init((): &(), context: &mut Context<Hear>) -> Result<Self, Failure> {
        context.add_entity("child", "child").map(|_| Self)
    }

    fn act(&mut self, _: EntityId, Do::Count { to }: &Do, context: &mut Context<Hear>) -> Result<(), Failure> {
        for number in 1..=*to {
            context.answer(Hear::Said { number });
        }
        if *to > 3 { Err(Failure::new("too many")) } else { Ok(()) }
    }

    fn step(&mut self, context: &mut Context<Hear>) {
        context.answer(Hear::Said { number: 9 });
    }

    fn percepts(&self, _: EntityId, _: &Context<Hear>, _: &mut Percepts<'_, Hear>) {}
}

#[test]
fn only_the_action_itself_is_answered() {
    let mut episode = Episode::<Counter>::init(&(), 1).expect("a counter");
    let child = episode.context().find_entity("child").expect("it exists");
    let said = |numbers: &[u8]| Ok(numbers.iter().map(|number| Hear::Said { number: *number }).collect());
    assert_eq!(episode.act(child, &Do::Count { to: 2 }), said(&[1, 2]));
    assert_eq!(episode.act(child, &Do::Count { to: 4 }), Err(Failure::new("too many")));
    assert_eq!(episode.act(child, &Do::Count { to: 0 }), said(&[]));
    episode.step();
    assert_eq!(episode.act(child, &Do::Count { to: 1 }), said(&[1]));
    assert!(episode.events().is_empty());
}

//! Tests that a table gives the same results as the rules, in every state and for every joint action.

use std::collections::HashMap;

use situated::encoding::{Buffers, Encode};
use situated::environment::{EntityId, Episode};
use situated::ontology::typed::InitParameters;
use situated_find_goals::FindGoals;
use situated_vector::{Cell, Seen, Settings, Table, vector};

use crate::herd::{Herd, Settings as Parameters};
use crate::written::with;

/// The output for the agents of an episode: observations, masks, rewards, terminated, truncated.
type Shown<T> = (Vec<T>, Vec<bool>, Vec<f32>, Vec<bool>, Vec<bool>);

fn shown<E: Encode>(episode: &Episode<E>, agents: &[EntityId], size: usize, actions: usize) -> Shown<E::Element> {
    let count = agents.len();
    let mut shown: Shown<E::Element> = (
        vec![E::Element::default(); count * size],
        vec![false; count * actions],
        vec![0.0; count],
        vec![false; count],
        vec![false; count],
    );
    let buffers = Buffers {
        observations: &mut shown.0,
        masks: &mut shown.1,
        rewards: &mut shown.2,
        terminated: &mut shown.3,
        truncated: &mut shown.4,
    };
    episode.environment().encode(agents, buffers);
    shown
}

fn row<T>(all: &[T], number: usize, length: usize) -> &[T] {
    &all[number * length..][..length]
}

/// Tries all joint actions from the first state on, with the table and with bare episodes that are saved and loaded.
/// `distinguish` returns what tells states apart, independently of the essence. Returns the number of states.
fn compare<E>(settings: Settings, distinguish: impl Fn(&E) -> String) -> usize
where
    E: Encode<Element: Cell + std::fmt::Debug, Parameters: Sync>,
{
    let parameters = E::Parameters::from_iil(&settings.parameters).expect("parameters");
    let vector = vector::<E>(settings).expect("there is such an environment");
    let table: Table<'_> = vector.table().expect("there is a table");
    let (size, actions, count) = (vector.encoding().size(), vector.encoding().actions.len(), vector.agents().len());
    let first = Episode::<E>::init(&parameters, 99).expect("there is such an environment");
    let agents: Vec<EntityId> =
        vector.agents().iter().map(|name| first.context().find_entity(name).expect("an agent")).collect();

    let mut numbers = HashMap::from([(distinguish(first.environment()), 0)]);
    let mut open = vec![(0, first.save())];
    while let Some((state, save)) = open.pop() {
        for joint_action in 0..table.joint_actions() {
            let mut episode = Episode::<E>::load(&save).expect("its own bytes");
            for (agent, entity) in agents.iter().enumerate() {
                let action = joint_action / actions.pow((count - 1 - agent) as u32) % actions;
                if let Some(action) = episode.environment().decode(*entity, action) {
                    let _ = episode.act(*entity, &action);
                }
            }
            episode.step();
            let to = table.transition(state, joint_action).expect("there is such a row");
            let number = *numbers.entry(distinguish(episode.environment())).or_insert_with(|| {
                open.push((to.next, episode.save()));
                to.next
            });
            assert_eq!(to.next, number);
            let (observations, masks, rewards, mut terminated, mut truncated) = shown(&episode, &agents, size, actions);
            match episode.ending() {
                Some(situated::environment::Ending::Terminated) => terminated.fill(true),
                Some(situated::environment::Ending::Truncated) => truncated.fill(true),
                None => {}
            }
            assert_eq!((to.rewards, to.terminated, to.truncated), (&rewards[..], &terminated[..], &truncated[..]));
            assert_eq!(row(table.masks(), number, count * actions), masks);
            let seen = match table.observations() {
                Seen::U8(all) => format!("{:?}", row(all, number, count * size)),
                Seen::F32(all) => format!("{:?}", row(all, number, count * size)),
            };
            assert_eq!(seen, format!("{observations:?}"));
        }
    }
    assert_eq!(numbers.len(), table.states());
    assert!(table.transition(table.states(), 0).is_none() && table.transition(0, table.joint_actions()).is_none());
    numbers.len()
}

#[test]
fn the_table_of_find_the_goals_has_107_states_and_equals_the_rules() {
    for view in ["local", "global"] {
        let settings = with(Settings::default(), "view", view);
        let states = compare::<FindGoals>(settings, |environment| format!("{:?}", environment.maze()));
        assert_eq!(states, 107);
    }
}

#[test]
fn the_table_of_a_herd_equals_the_rules() {
    let places = |herd: &Herd| format!("{herd:?}").split("gains").next().map(str::to_owned).unwrap_or_default();
    assert!(compare::<Herd>(Settings::default(), places) > 50);
}

#[test]
fn no_table_with_randomness_or_if_the_settings_forbid_it() {
    let none = |settings| vector::<Herd>(settings).expect("there is such an environment").table().is_none();
    assert!(none(with(Settings::default(), "chance", true)));
    assert!(none(Settings { tables: false, ..Settings::default() }));
    let parameters = Parameters::from_iil(&Default::default()).expect("defaults");
    assert!(!parameters.chance);
}

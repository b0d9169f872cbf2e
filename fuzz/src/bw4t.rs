//! Properties of maps, scenario files and messages of Blocks World for Teams: reading them does not panic, errors
//! have a reason, and what can be read can be written and read back unchanged.

use std::error::Error;
use std::fmt::Debug;

use situated::iil::Parameter;
use situated::interface::{Command, EnvironmentInterface, Interface};
use situated_bw4t::messages::{Dialect, Message};
use situated_bw4t::team::Team;
use situated_bw4t::{Bw4t, FileError, Map};

/// Maximum number of bytes of an error.
const LONGEST_ERROR: usize = 4096;

/// Number of steps on a map.
const STEPS: usize = 3;

/// A name that no message has.
const SENDER: &str = "the one who sends it";

/// Reads the data as a map. If it can be read, begins an environment with it.
pub fn map(data: &[u8]) {
    match Map::from_xml(&String::from_utf8_lossy(data)) {
        Ok(map) => {
            let written = map.to_xml();
            assert_eq!(Map::from_xml(&written).as_ref(), Ok(&map), "{written}");
            live_on(&written);
        }
        Err(error) => {
            assert!(error.line.is_some_and(|line| line >= 1) && !error.part.is_empty(), "{error:?}");
            assert_helpful(&error, &error.problem);
        }
    }
}

/// An environment may refuse to begin, for example if a robot would start in a blockade.
fn live_on(map: &str) {
    let mut world = Interface::<Bw4t>::new();
    let parameters = [("map".to_owned(), map.into())].into();
    match world.manage(Command::Init { parameters, seed: 1 }) {
        Ok(()) => {
            world.start().expect("it is paused");
            (0..STEPS).for_each(|_| world.step().expect("it runs"));
            EnvironmentInterface::scene(&world, None).expect("it can be seen as a whole");
        }
        Err(error) => assert_helpful(&error, &error.to_string()),
    }
}

/// Reads the data as a scenario file of the original, and as one in TOML.
pub fn team(data: &[u8]) {
    let text = &String::from_utf8_lossy(data);
    assert_team(Team::from_xml(text));
    assert_team(Team::from_toml(text));
}

fn assert_team(read: Result<Team, FileError>) {
    match read {
        Ok(mut team) => {
            assert_stable(&team, |team| Team::from_toml(&team.to_toml()));
            // The format of the original has no field for it.
            team.bots.iter_mut().for_each(|bots| bots.battery.use_per_step = None);
            assert_stable(&team, |team| Team::from_xml(&team.to_xml()));
        }
        Err(error) => {
            assert!(error.line.is_some_and(|line| line >= 1), "{error:?}");
            assert_helpful(&error, &error.problem);
        }
    }
}

/// Reads the data as a sentence, and as a term.
pub fn message(data: &[u8]) {
    let text = &String::from_utf8_lossy(data);
    match Message::from_english(text) {
        Ok(message) => assert_sentences(&message),
        Err(error) => assert_helpful(&error, &error.to_string()),
    }
    let Ok(term) = text.parse::<Parameter>() else { return };
    match Message::from_term(&term, SENDER) {
        Ok(message) => {
            assert_stable(&message, |message| Message::from_term(&message.to_term(SENDER), SENDER));
            assert_sentences(&message);
        }
        Err(error) => assert_helpful(&error, &error.to_string()),
    }
}

fn assert_sentences(message: &Message) {
    for dialect in [Dialect::Specification, Dialect::Code] {
        assert_stable(message, |message| Message::from_english(&message.to_english(dialect)));
    }
}

fn assert_stable<T: Debug + PartialEq, E: Debug + PartialEq>(value: &T, write_and_read: impl Fn(&T) -> Result<T, E>) {
    assert_eq!(write_and_read(value).as_ref(), Ok(value));
}

fn assert_helpful(error: &impl Error, problem: &str) {
    assert!(!problem.is_empty() && error.to_string().len() <= LONGEST_ERROR, "{error}");
}

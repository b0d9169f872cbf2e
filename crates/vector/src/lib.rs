//! Runs many episodes of one environment and steps them together, for programs that learn from millions of steps.
//! Actions and observations are numbers in arrays that belong to the caller. It bypasses the interface of agents.
//!
//! [`vector`] makes a [`Vector`] from [`Settings`]. The vector steps either bare
//! [episodes](situated::environment::Episode) by the rules, or uses a [table](Table) that it made from the rules and
//! that gives the same results.
//!
//! All arrays are row-major, `[env, agent, ...]`. The agents of an env are the entities that exist when its episode
//! begins and whose type has an encoding, in order of creation. They stay until the episode ends.

mod batch;
mod buffers;
mod error;
mod fleet;
mod rules;
mod saved;
mod settings;
mod table;
mod template;

use situated::encoding::{Encode, Encoding};
use situated::environment::{Failure, Outcome};
use situated::iil::{Action, EcoString};
use situated::scene::Scene;

pub use buffers::{Actions, Cell, Finals, Observations, Outputs, Seen};
pub use error::Error;
pub use settings::{Autoreset, Settings, episode_seed, first_seed};
pub use table::{Table, Transition};

use fleet::Fleet;
use rules::Rules;
use table::Tabled;
use template::Template;

/// Many episodes of one environment. Each runs in an *env*. Envs are numbered from 0, and so are the agents of an
/// env.
///
/// An env behaves the same for every number of envs and threads. A call that returns an error changes nothing, not
/// even the buffers.
pub trait Vector: Send {
    /// Returns the number of envs.
    fn envs(&self) -> usize;

    /// Returns the names of the agents of each env, in order.
    fn agents(&self) -> &[EcoString];

    /// Returns the encoding of the agents.
    fn encoding(&self) -> &Encoding;

    /// Returns the meaning of each number of an observation, or nothing if the environment does not describe them.
    fn meanings(&self) -> &[String];

    /// Begins new episodes in the envs for which the mask is true, or in all envs without a mask. With a seed, the
    /// episodes of these envs are [counted](episode_seed) from this base seed again; otherwise each env begins its
    /// next episode.
    ///
    /// # Errors
    /// Returns an error if the mask has the wrong length, or if an episode cannot begin.
    fn reset(&mut self, seed: Option<u64>, mask: Option<&[bool]>) -> Result<(), Error>;

    /// Does one action for each agent, moves all envs on by one step, and writes the results. If the environment
    /// refuses an action, its entity does nothing in that step. An episode is over when it is terminated or truncated
    /// for all its agents.
    ///
    /// # Errors
    /// Returns an error if a buffer has the wrong length or element type, if the index of an action is out of range,
    /// if an episode is over and must be reset first, or if the next episode cannot begin.
    fn step(&mut self, actions: Actions<'_>, outputs: Outputs<'_>) -> Result<(), Error>;

    /// Writes the observations of the agents and the actions that they can do now: `[env, agent, ...]` and `[env,
    /// agent, action]`.
    ///
    /// # Errors
    /// Returns an error if a buffer has the wrong length or element type.
    fn observe(&self, observations: Observations<'_>, masks: &mut [bool]) -> Result<(), Error>;

    /// Returns whether the episode of an env is over and has not been reset; `false` for an env that does not exist.
    fn is_over(&self, env: usize) -> bool;

    /// Returns the seed of the episode of an env, or `None` for an env that does not exist.
    fn seed(&self, env: usize) -> Option<u64>;

    /// Returns the whole state of an env as bytes: its episode, the number of that episode and of its steps, and
    /// whether it is over. The bytes do not depend on whether the vector has a table.
    ///
    /// # Errors
    /// Returns an error if there is no such env, or if the saved environment could not be restored.
    fn save(&self, env: usize) -> Result<Vec<u8>, Error>;

    /// Restores the saved state of an env, which can be of this or of another vector.
    ///
    /// # Errors
    /// Returns an error if there is no such env, or if the bytes are not the state of an env with these parameters.
    fn load(&mut self, env: usize, state: &[u8]) -> Result<(), Error>;

    /// Returns the whole state of all envs as bytes.
    ///
    /// # Errors
    /// Returns an error if an env cannot be [saved](Self::save).
    fn save_all(&self) -> Result<Vec<u8>, Error>;

    /// Restores the saved state of all envs, which can be of another vector with the same number of envs.
    ///
    /// # Errors
    /// Returns an error if the bytes are not the state of such a vector.
    fn load_all(&mut self, state: &[u8]) -> Result<(), Error>;

    /// Returns how the episode of an env goes or has ended. If the last step has ended it and begun the next one, this
    /// is the outcome of the one that has ended, provided that the [settings](Settings::outcomes) keep it. With a
    /// table, results lack what the [essence](Encode::essence) lacks.
    ///
    /// # Errors
    /// Returns an error if there is no such env.
    fn outcome(&self, env: usize) -> Result<Outcome, Error>;

    /// Returns the agents of an env whose actions the environment refused in the last step, by their numbers, with its
    /// reasons, provided that the [settings](Settings::failures) keep them. A table knows of none.
    fn failures(&self, env: usize) -> &[(usize, Failure)];

    /// Returns the actions that the agents of an env would do now with these numbers, one for each agent; `None` for an
    /// agent that would wait.
    ///
    /// # Errors
    /// Returns an error if there is no such env, if there are not as many actions as agents, or if the index of an
    /// action is out of range.
    fn terms(&self, env: usize, actions: &[usize]) -> Result<Vec<Option<Action>>, Error>;

    /// Returns the picture of an env, as a whole or as one of its agents sees it. With a table, it lacks what the
    /// [essence](Encode::essence) lacks, such as what an agent remembers.
    ///
    /// # Errors
    /// Returns an error if there is no such env or agent.
    fn scene(&self, env: usize, viewer: Option<usize>) -> Result<Scene, Error>;

    /// Returns the table, or `None` if the vector uses the rules.
    fn table(&self) -> Option<Table<'_>>;

    /// Returns the number of the state of an env in the table, or `None` without a table or for an env that does not
    /// exist.
    fn state(&self, env: usize) -> Option<usize>;
}

/// Makes a vector, and begins the first episode of each env.
///
/// # Errors
/// Returns an error if a parameter is wrong, an episode cannot begin, its entities cannot be encoded together, or a
/// setting is out of bounds.
pub fn vector<E>(settings: Settings) -> Result<Box<dyn Vector>, Error>
where
    E: Encode<Element: Cell, Parameters: Sync>,
{
    let tables = settings.tables;
    let template = Template::<E>::new(settings)?;
    Ok(match if tables { Tabled::compile(&template) } else { None } {
        Some(table) => Box::new(Fleet::new(template, table)?),
        None => Box::new(Fleet::new(template, Rules)?),
    })
}

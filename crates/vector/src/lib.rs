//! Many episodes of one environment, stepped together on numbers: what learners drive by the million. It bypasses the
//! interface; whoever calls owns all the memory that is written.
//!
//! [`vector`] makes a [`Vector`] from [`Settings`]. Behind it are either the rules themselves, in bare
//! [episodes](situated::environment::Episode), or a [table](Table) that has been made from them and gives the same
//! results.
//!
//! All arrays are row-major, `[env, agent, ...]`. Agents are the entities that an episode has at its beginning and whose
//! type has an encoding, in order of creation; they stay until its end.

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
use situated::iil::EcoString;
use situated::scene::Scene;

pub use buffers::{Actions, Cell, Finals, Observations, Outputs, Seen};
pub use error::Error;
pub use settings::{Autoreset, MAX_ENVS, MAX_THREADS, Settings, episode_seed, first_seed};
pub use table::{Table, Transition};

use fleet::Fleet;
use rules::Rules;
use table::Tabled;
use template::Template;

/// Many episodes of one environment. Places in it are called envs, and are numbered from 0, as their agents are.
///
/// An env behaves the same whatever the number of envs and threads. An error changes nothing, not even the buffers.
pub trait Vector: Send {
    /// How many envs there are.
    fn envs(&self) -> usize;

    /// The names of the agents of each env, in their order.
    fn agents(&self) -> &[EcoString];

    /// How each of them is encoded.
    fn encoding(&self) -> &Encoding;

    /// Begins new episodes in the envs that the mask (one an env) chooses, in all without a mask. With a seed, their
    /// episodes are [counted](episode_seed) from the first one of this base seed; otherwise the next ones begin.
    ///
    /// # Errors
    /// When the mask has another length, or an episode cannot begin.
    fn reset(&mut self, seed: Option<u64>, mask: Option<&[bool]>) -> Result<(), Error>;

    /// Does the actions, one an agent, moves all envs on by one step, and writes what comes of it. What the environment
    /// refuses is not done, and its entity does nothing in that step. An episode is over when it is terminated or
    /// truncated for all its agents.
    ///
    /// # Errors
    /// When a buffer has another length or other elements than it must have, there is no action with a number, an
    /// episode is over that nobody resets, or the next one cannot begin.
    fn step(&mut self, actions: Actions<'_>, outputs: Outputs<'_>) -> Result<(), Error>;

    /// Writes what the agents observe, and which actions they can do now: `[env, agent, ...]` and `[env, agent, action]`.
    ///
    /// # Errors
    /// When a buffer has another length or other elements than it must have.
    fn observe(&self, observations: Observations<'_>, masks: &mut [bool]) -> Result<(), Error>;

    /// Whether the episode of an env is over and has not been reset; no for an env that does not exist.
    fn is_over(&self, env: usize) -> bool;

    /// The seed of the episode of an env; none for an env that does not exist.
    fn seed(&self, env: usize) -> Option<u64>;

    /// The whole state of an env as bytes: its episode, which one it is, how many steps it has made, and whether it is
    /// over. Rules and tables write the same.
    ///
    /// # Errors
    /// When there is no such env, or its environment can be written down but not read again.
    fn save(&self, env: usize) -> Result<Vec<u8>, Error>;

    /// Goes on in an env where another one, of this or of another vector, was saved.
    ///
    /// # Errors
    /// When there is no such env, or the bytes are not the state of one with these parameters.
    fn load(&mut self, env: usize, state: &[u8]) -> Result<(), Error>;

    /// The whole state of all envs as bytes.
    ///
    /// # Errors
    /// When an env cannot be [saved](Self::save).
    fn save_all(&self) -> Result<Vec<u8>, Error>;

    /// Goes on where a vector of as many envs was saved.
    ///
    /// # Errors
    /// When the bytes are not the state of such a vector.
    fn load_all(&mut self, state: &[u8]) -> Result<(), Error>;

    /// Returns the picture of an env, as a whole or as one of its agents sees it.
    ///
    /// # Errors
    /// When there is no such env or agent.
    fn scene(&self, env: usize, viewer: Option<usize>) -> Result<Scene, Error>;

    /// The table behind it; none where the rules are.
    fn table(&self) -> Option<Table<'_>>;

    /// The number of the state of an env in the table; none without a table, or for an env that does not exist.
    fn state(&self, env: usize) -> Option<usize>;
}

/// Makes a vector, whose envs are at the beginning of their first episodes.
///
/// # Errors
/// When a parameter is wrong, an episode cannot begin, its entities are not to be encoded together, or a setting is out
/// of bounds.
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

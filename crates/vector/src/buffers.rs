//! The memory that a vector reads and writes. It belongs to the caller.

use situated::encoding::{Element, ElementType};

use crate::Error;
use crate::batch::Rows;
use crate::template::Layout;

/// Indices of actions, `[env, agent]`, each from 0 to the number of actions minus 1.
#[derive(Clone, Copy, Debug)]
pub enum Actions<'a> {
    /// As 8-bit integers.
    U8(&'a [u8]),
    /// As 32-bit integers.
    I32(&'a [i32]),
    /// As 64-bit integers.
    I64(&'a [i64]),
}

/// A buffer for observations, `[env, agent, ...]`.
#[derive(Debug)]
pub enum Observations<'a> {
    /// For bytes.
    U8(&'a mut [u8]),
    /// For floats.
    F32(&'a mut [f32]),
}

/// Observations of the states of a table, `[state, agent, ...]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen<'a> {
    /// As bytes.
    U8(&'a [u8]),
    /// As floats.
    F32(&'a [f32]),
}

/// The buffers into which a vector writes the results of a step.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// The current observations of the agents, `[env, agent, ...]`.
    pub observations: Observations<'a>,
    /// The actions that each agent can do now, `[env, agent, action]`.
    pub masks: &'a mut [bool],
    /// The rewards of the step, `[env, agent]`.
    pub rewards: &'a mut [f32],
    /// Whether the rules ended the episode for each agent, `[env, agent]`.
    pub terminated: &'a mut [bool],
    /// Whether the episode was truncated for each agent, `[env, agent]`.
    pub truncated: &'a mut [bool],
    /// The last observations of episodes that ended in a step that also began the next one. Only
    /// [`Autoreset::SameStep`](crate::Autoreset::SameStep) needs it.
    pub finals: Option<Finals<'a>>,
}

/// The buffers into which a vector writes the last observations of episodes.
#[derive(Debug)]
pub struct Finals<'a> {
    /// The last observations of the agents, `[env, agent, ...]`. Those of envs whose episode did not end stay
    /// unchanged.
    pub observations: Observations<'a>,
    /// Whether the episode of each env ended, `[env]`.
    pub mask: &'a mut [bool],
}

/// A type of elements of observations.
pub trait Cell: Element + PartialEq + Sync {
    /// Returns the buffer if it is for elements of this type.
    fn room(observations: Observations<'_>) -> Option<&mut [Self]>;

    /// Wraps observations with elements of this type.
    fn seen(observations: &[Self]) -> Seen<'_>;
}

/// An integer type for indices of actions.
pub(crate) trait Number: Copy + Default + PartialOrd + TryFrom<usize> + Into<i64> + Send + Sync {
    /// Returns whether all numbers are from 0 to `limit` - 1.
    fn all_below(numbers: &[Self], limit: usize) -> bool {
        // A limit that does not fit in the type is above all its numbers.
        let limit = Self::try_from(limit).ok();
        let is_wrong = |number: Self| number < Self::default() || limit.is_some_and(|limit| number >= limit);
        // A loop without an early exit compares many numbers at once.
        !numbers.iter().fold(false, |wrong, number| wrong | is_wrong(*number))
    }

    /// Converts the number to an index; a negative number becomes one that is beyond all limits.
    fn index(self) -> usize {
        usize::try_from(self.into()).unwrap_or(usize::MAX)
    }
}

impl Number for u8 {}
impl Number for i32 {}
impl Number for i64 {}

macro_rules! cell {
    ($Element:ty, $Variant:ident) => {
        impl Cell for $Element {
            fn room(observations: Observations<'_>) -> Option<&mut [Self]> {
                match observations {
                    Observations::$Variant(room) => Some(room),
                    _ => None,
                }
            }

            fn seen(observations: &[Self]) -> Seen<'_> {
                Seen::$Variant(observations)
            }
        }
    };
}

cell!(u8, U8);
cell!(f32, F32);

impl Observations<'_> {
    fn element(&self) -> ElementType {
        match self {
            Observations::U8(_) => ElementType::U8,
            Observations::F32(_) => ElementType::F32,
        }
    }
}

/// Returns the buffer for the observations of this number of envs.
pub(crate) fn typed<'a, T: Cell>(
    buffer: &'static str,
    observations: Observations<'a>,
    layout: &Layout,
    envs: usize,
) -> Result<&'a mut [T], Error> {
    let given = observations.element();
    let room = T::room(observations).ok_or(Error::Elements { buffer, given, expected: T::TYPE })?;
    check_length(buffer, room.len(), envs * layout.observations())?;
    Ok(room)
}

/// Returns the rows of this number of envs, with final observations if they are needed.
pub(crate) fn rows<'a, T: Cell>(
    outputs: Outputs<'a>,
    layout: &Layout,
    envs: usize,
    with_finals: bool,
) -> Result<Rows<'a, T>, Error> {
    let Outputs { observations, masks, rewards, terminated, truncated, finals } = outputs;
    let observations = typed("observations", observations, layout, envs)?;
    check_length("masks", masks.len(), envs * layout.masks())?;
    check_length("rewards", rewards.len(), envs * layout.agents())?;
    check_length("terminated", terminated.len(), envs * layout.agents())?;
    check_length("truncated", truncated.len(), envs * layout.agents())?;
    let finals = match finals {
        Some(Finals { observations, mask }) => {
            let observations = typed("final observations", observations, layout, envs)?;
            check_length("the mask of final observations", mask.len(), envs)?;
            with_finals.then_some((observations, mask))
        }
        None if with_finals => return Err(Error::NoFinals),
        None => None,
    };
    Ok(Rows { observations, masks, rewards, terminated, truncated, finals })
}

pub(crate) fn check_length(buffer: &'static str, given: usize, expected: usize) -> Result<(), Error> {
    if given == expected { Ok(()) } else { Err(Error::Length { buffer, given, expected }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_in_their_own_type() {
        assert!(u8::all_below(&[0, 4], 5) && !u8::all_below(&[0, 5], 5));
        assert!(u8::all_below(&[255], 256) && u8::all_below(&[255], 1_000));
        assert!(i32::all_below(&[0, 4], 5) && !i32::all_below(&[5], 5) && !i32::all_below(&[-1], 5));
        assert!(!i32::all_below(&[i32::MIN], usize::MAX));
        assert!(i64::all_below(&[0, 4], 5) && !i64::all_below(&[1 << 32], 5) && !i64::all_below(&[-1], usize::MAX));
    }
}

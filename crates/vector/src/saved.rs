//! The bytes of a saved env: the environment, the number of the episode, whether it is over, and its state.
//!
//! All numbers are little-endian. An env is a version (1 byte), whether it is over (1 byte), the number of its
//! episode (8 bytes), the name of the environment with its parameters, and the saved episode. A vector is a version,
//! the number of its envs, and each env. Items without a fixed length are preceded by their length (8 bytes).

use crate::Error;

/// The version of this format.
const VERSION: u8 = 1;

/// The state of an env.
#[derive(Debug)]
pub(crate) struct Saved<'a> {
    /// The environment with its parameters.
    pub(crate) of: &'a str,
    pub(crate) over: bool,
    /// The number of the episode.
    pub(crate) episode: u64,
    /// The episode.
    pub(crate) state: &'a [u8],
}

impl<'a> Saved<'a> {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION, self.over.into()];
        bytes.extend(self.episode.to_le_bytes());
        write_part(&mut bytes, self.of.as_bytes());
        write_part(&mut bytes, self.state);
        bytes
    }

    /// Reads the bytes of an env; `of` is the environment with its parameters that they must have.
    pub(crate) fn read(bytes: &'a [u8], of: &'a str) -> Result<Self, Error> {
        let wrong = |reason: String| Error::NotSaved { of: of.into(), reason };
        let cut = || wrong("its end is missing".into());
        let mut rest = bytes;
        let version = take(&mut rest, 1).ok_or_else(cut)?;
        if version != [VERSION] {
            return Err(wrong("it is of another kind or version".into()));
        }
        let over = match take(&mut rest, 1).ok_or_else(cut)? {
            [0] => false,
            [1] => true,
            _ => return Err(wrong("it is neither over nor not".into())),
        };
        let episode = take_number(&mut rest).ok_or_else(cut)?;
        let origin = take_part(&mut rest).ok_or_else(cut)?;
        if origin != of.as_bytes() {
            return Err(wrong("it is one of another environment, or with other parameters".into()));
        }
        let state = take_part(&mut rest).ok_or_else(cut)?;
        if !rest.is_empty() {
            return Err(wrong(format!("{} bytes follow", rest.len())));
        }
        Ok(Self { of, over, episode, state })
    }
}

/// Writes many envs.
pub(crate) fn write_all(envs: impl ExactSizeIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    bytes.extend((envs.len() as u64).to_le_bytes());
    envs.for_each(|env| write_part(&mut bytes, &env));
    bytes
}

/// Returns the bytes of each env of a vector.
pub(crate) fn read_all<'a>(bytes: &'a [u8], envs: usize, of: &str) -> Result<Vec<&'a [u8]>, Error> {
    let wrong = |reason: String| Error::NotSaved { of: of.into(), reason };
    let cut = || wrong("its end is missing".into());
    let mut rest = bytes;
    if take(&mut rest, 1).ok_or_else(cut)? != [VERSION] {
        return Err(wrong("it is of another kind or version".into()));
    }
    let given = take_number(&mut rest).ok_or_else(cut)?;
    if given != envs as u64 {
        return Err(wrong(format!("it has {given} envs, not {envs}")));
    }
    let parts: Option<Vec<&[u8]>> = (0..envs).map(|_| take_part(&mut rest)).collect();
    let parts = parts.ok_or_else(cut)?;
    if rest.is_empty() { Ok(parts) } else { Err(wrong(format!("{} bytes follow", rest.len()))) }
}

fn write_part(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend((part.len() as u64).to_le_bytes());
    bytes.extend(part);
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    rest.split_off(..count)
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    take(rest, 8)?.try_into().ok().map(u64::from_le_bytes)
}

fn take_part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_number(rest)?;
    take(rest, length.try_into().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_too_short_or_too_long_are_errors() {
        let bytes = Saved { of: "an environment", over: true, episode: 7, state: &[1, 2, 3] }.write();
        let read = Saved::read(&bytes, "an environment").expect("what was written");
        assert_eq!((read.over, read.episode, read.state), (true, 7, &[1, 2, 3][..]));
        assert!(Saved::read(&bytes, "another").is_err());
        for length in 0..bytes.len() {
            assert!(Saved::read(&bytes[..length], "an environment").is_err());
        }
        assert!(Saved::read(&[&bytes[..], &[0]].concat(), "an environment").is_err());

        let all = write_all([bytes.clone(), bytes.clone()].into_iter());
        assert_eq!(read_all(&all, 2, "an environment").expect("what was written"), [&bytes[..], &bytes]);
        assert!(read_all(&all, 3, "an environment").is_err());
        for length in 0..all.len() {
            assert!(read_all(&all[..length], 2, "an environment").is_err());
        }
        assert!(read_all(&[&all[..], &[0]].concat(), 2, "an environment").is_err());
    }
}

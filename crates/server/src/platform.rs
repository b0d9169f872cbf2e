//! Messages between this server and other platforms, over FIPA's transport (SC00084).

mod receiving;
mod sending;

pub(crate) use receiving::answer;
pub(crate) use sending::{client, forward};

/// The header of a response with the number of messages that a server takes in one request.
const TAKES: &str = "x-situated-bundle";

/// The header of a response with the number of messages that were accepted before the first that was not.
const ACCEPTED: &str = "x-situated-accepted";

/// Maximum number of messages in a request, and of their bytes unless it is one.
const BUNDLE: (usize, usize) = (64, 512 << 10);

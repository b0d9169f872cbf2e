//! The data that a server keeps in a folder: documents, and journals that begin with a checkpoint. What is changed together
//! is written together, into one SQLite file.
//!
//! Changes are made in memory and numbered. Whoever must not go on before a change is safe takes the [mark](Store::mark) of
//! the present, and [settles](Store::settle) it: the thread that comes first writes for all, and those that come meanwhile
//! are the next group. A thread of the store writes what nobody waits for.

mod change;
mod contents;
mod error;
mod folder;
mod journal;
mod store;
mod writer;

pub use contents::{Contents, Journaled};
pub use error::{Damaged, OpenError};
pub use journal::Journal;
pub use store::{Bell, Mark, Store};

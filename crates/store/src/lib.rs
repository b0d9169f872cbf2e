//! The data that a server keeps in a folder: documents, and journals that begin with a checkpoint. Changes that are
//! made together are written together, into one SQLite file.
//!
//! The store makes changes in memory and numbers them. A thread that must wait until its changes are safe takes the
//! current [mark](Store::mark) and [settles](Store::settle) it. The first such thread writes the changes of all;
//! those that threads make meanwhile form the next group. A background thread writes the changes that no thread waits
//! for.

mod change;
mod contents;
mod damage;
mod database;
mod discard;
mod folder;
mod inspection;
mod journal;
mod store;
mod tally;
mod writer;

pub use contents::{Contents, Journaled};
pub use damage::{Damage, Discarded, JOURNAL, LEFT_OUT, LeftOut};
pub use discard::discard;
pub use folder::{OpenError, Unreadable};
pub use journal::Journal;
pub use store::{Batch, Bell, Mark, Store};

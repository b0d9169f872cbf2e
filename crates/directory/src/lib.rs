//! The directory of agents and their services (FIPA SC00023): the white pages of the agent management system (AMS), and
//! the services that agents have registered with the directory facilitator (DF). Agents ask both by ordinary requests in
//! SL0, and can subscribe to changes as agents of JADE do. A search can go on in the directories of other platforms. It does no I/O and reads no clock: its caller passes the
//! messages to [`AMS`] and [`DF`] on, and delivers their answers. Programs need no SL0: [`asking`] writes questions and
//! reads answers.
//!
//! ```
//! use situated_acl::Message;
//! use situated_directory::{Answer, DF, Directory};
//!
//! let mut directory = Directory::new();
//! let request = |content: &str| Message::request().from("ada").to(DF).language("fipa-sl0").content(content.to_owned());
//! let register = request(
//!     "((action (agent-identifier :name df) (register (df-agent-description :name (agent-identifier :name ada)
//!      :services (set (service-description :name plums :type trade))))))",
//! );
//! directory.hear(DF, &register, "ada", &[], 0);
//! let search = request(
//!     "((action (agent-identifier :name df) (search (df-agent-description
//!      :services (set (service-description :type trade))) (search-constraints :max-results 10))))",
//! );
//! let Answer::Given(answer) = directory.hear(DF, &search, "ada", &[], 0).answer else { panic!("it is answered at once") };
//! assert!(answer.content.unwrap().as_text().unwrap().contains("plums"));
//! ```

mod answers;
pub mod asking;
mod constraints;
mod description;
mod directory;
mod federation;
#[cfg(feature = "json")]
mod json;
mod matching;
mod reading;
mod reason;
mod room;

pub use answers::{Agent, LifeCycle};
pub use asking::Declined;
pub use description::{Description, Service};
pub use directory::{Answer, Change, Directory, Heard};

/// The name of the agent management system.
pub const AMS: &str = "ams";

/// The name of the directory facilitator.
pub const DF: &str = "df";

/// The ontology of questions and answers.
const ONTOLOGY: &str = "FIPA-Agent-Management";

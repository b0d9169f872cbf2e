//! Recordings of real runs: written, read, replayed, exported; cut off, tampered with, and crashed.

mod broken_files;
mod crashes;
mod exporting;
mod messages;
mod replaying;
mod run;
mod writing;

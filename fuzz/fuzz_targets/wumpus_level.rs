//! Searches for level files of Wumpus that make the reader or the environment panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::wumpus::level(data));

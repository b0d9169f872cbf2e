//! Searches for level files of Vacuum world that make the reader or the environment panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::vacuum::level(data));

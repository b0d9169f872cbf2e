//! Searches for maps of Cows and Cowboys that make the reader or the environment panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::cows::map(data));

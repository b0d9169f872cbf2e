//! Searches for files of arrivals in Elevator that make the reader or the environment panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::elevator::arrivals(data));

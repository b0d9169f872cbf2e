//! Searches for files of teams and with tokens that bring the reader down.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::files::file(data));

//! Searches for arrangements of blocks that make the reader or one of the environments panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::blocks::arrangement(data));

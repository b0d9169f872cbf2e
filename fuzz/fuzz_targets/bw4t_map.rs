//! Searches for maps of Blocks World for Teams that bring the reader or the environment down, or do not read back as
//! they were written.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::bw4t::map(data));

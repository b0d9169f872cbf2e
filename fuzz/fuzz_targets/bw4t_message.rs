//! Searches for messages of Blocks World for Teams that make the reader panic, or that change when they are written
//! and read back.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::bw4t::message(data));

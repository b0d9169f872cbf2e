//! Searches for files that bring the reader of recordings down.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::recordings::recording(data));

//! Searches for Prolog-like text that brings the reader down or does not read back as it was printed.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::notations::text(data));

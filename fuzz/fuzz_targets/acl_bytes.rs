//! Searches for bytes that bring the reader of messages down, or that are not read back as they were written.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::acl_encodings::bytes(data));

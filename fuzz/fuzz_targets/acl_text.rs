//! Searches for messages in text that bring the reader down or do not read back as they were written.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::acl::text(data));

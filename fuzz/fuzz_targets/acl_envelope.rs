//! Searches for envelopes that bring their readers down, or that are not read back as they were written.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::acl_encodings::envelopes(data));

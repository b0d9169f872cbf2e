//! Searches for XML that brings the reader of messages down, or that is not read back as it was written.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::acl_encodings::markup(data));

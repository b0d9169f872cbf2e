//! Searches for data with which one client can disturb other clients of a server.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::connections::connection(data));

//! Searches for bodies of messages between platforms that bring the reader down.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::transport::body(data));

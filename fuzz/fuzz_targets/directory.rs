//! Searches for messages that bring the directory down, and for descriptions that are not read back as they were
//! written.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    situated_fuzz::directory::contents(data);
    situated_fuzz::directory::descriptions(data);
});

//! Searches for saved states that bring the loader down or cannot be saved again.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| situated_fuzz::states::state(data));

//! The page that shows any environment, as files in the program. The server serves them as they are.

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The content of the file with this name, such as `index.html`.
pub fn file(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, content)| *content)
}

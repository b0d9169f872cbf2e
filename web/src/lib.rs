//! The page that shows any environment, as files in the program.

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The content of the file with this name, such as `index.html`, as gzip (RFC 1952).
pub fn file(name: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, content)| *content)
}

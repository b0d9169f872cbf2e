//! Messages as the XML add-on of JADE writes and reads them.

mod reading;
mod writing;

pub(crate) use reading::decode;
pub(crate) use writing::encode;

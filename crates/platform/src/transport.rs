//! Messages between platforms, as FIPA's transport over HTTP has them (SC00084): each message is the body of a request,
//! in two parts, an envelope in XML and the message in one of its encodings. Servers of situated put several such
//! bodies into one request. This module writes and reads the bodies. It does no I/O.
//!
//! ```
//! use situated_acl::Message;
//! use situated_platform::transport::{Form, Parcel, Platform, pack, unpack};
//!
//! let market = Platform { name: "market".into(), address: "http://market.example/acc".into() };
//! let message = Message::inform().from("ada").to("bob@farm").content("it is done");
//! let packed = pack(&market, "farm", &message, Form::default(), 0)?;
//! let Parcel { message, receivers, .. } = unpack(&packed.content_type, &packed.body, |_| Some(Form::default()))?;
//! assert_eq!(message.sender_name(), Some("ada@market"));
//! assert_eq!(receivers, ["bob@farm"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bundle;
mod multipart;
mod parcel;
mod platform;
mod unreadable;

pub use bundle::{Bundled, NUMBER, bundle, unbundle};
pub use parcel::{Form, Packed, Parcel, UnknownForm, pack, unpack};
pub use platform::Platform;
pub use unreadable::Unreadable;

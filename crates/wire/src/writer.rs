//! Writes the same JSON as `serde_json` with less work: it does not search the names of fields for characters that must be
//! escaped, and does not copy each piece by a call of its own. Rare kinds of values go to `serde_json`.

use serde::ser::{self, Error as _};
use serde::{Serialize, Serializer};
use serde_json::{Error, Result, Value};

/// Appends a value.
///
/// # Errors
/// Returns an error if the value has no form in JSON.
pub(crate) fn write(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> Result<()> {
    write_within(usize::MAX, out, value)
}

/// Appends a value, unless the text becomes longer than this number of bytes.
///
/// # Errors
/// Returns an error if the value has no form in JSON, or there is a further item when the text is too long.
pub(crate) fn write_within(limit: usize, out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> Result<()> {
    value.serialize(Writer(out, limit))
}

/// The text, and its maximum length.
struct Writer<'a>(&'a mut Vec<u8>, usize);

/// A list or an object.
struct Compound<'a> {
    out: &'a mut Vec<u8>,
    limit: usize,
    is_empty: bool,
    end: &'static str,
}

impl<'a> Writer<'a> {
    fn begin(self, begin: &'static str, end: &'static str) -> Compound<'a> {
        self.0.extend_from_slice(begin.as_bytes());
        Compound { out: self.0, limit: self.1, is_empty: true, end }
    }

    /// Begins the object of an enum's variant, up to its value.
    fn begin_variant(self, variant: &'static str) -> Result<Self> {
        self.0.push(b'{');
        write(self.0, variant)?;
        self.0.push(b':');
        Ok(self)
    }
}

macro_rules! as_serde_json_does {
    ($($method:ident $Type:ty),*) => {$(
        #[inline]
        fn $method(self, value: $Type) -> Result<()> {
            serde_json::Serializer::new(self.0).$method(value)
        }
    )*};
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    as_serde_json_does!(
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_i128 i128, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64,
        serialize_u128 u128, serialize_f32 f32, serialize_f64 f64, serialize_char char, serialize_bytes &[u8]
    );

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        // Without an early end, the compiler compares many bytes at once.
        let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        if value.bytes().fold(false, |found, byte| found | is_special(byte)) {
            return serde_json::Serializer::new(self.0).serialize_str(value);
        }
        self.0.reserve(value.len() + 2);
        self.0.push(b'"');
        self.0.extend_from_slice(value.as_bytes());
        self.0.push(b'"');
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let Self(out, limit) = self.begin_variant(variant)?;
        write_within(limit, out, value)?;
        out.push(b'}');
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>> {
        Ok(self.begin("[", "]"))
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>> {
        Ok(self.begin("[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>> {
        Ok(self.begin("[", "]"))
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Compound<'a>> {
        Ok(self.begin_variant(variant)?.begin("[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>> {
        Ok(self.begin("{", "}"))
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Compound<'a>> {
        Ok(if is_raw(name) { self.begin("", "") } else { self.begin("{", "}") })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>> {
        Ok(self.begin_variant(variant)?.begin("{", "}}"))
    }
}

impl Compound<'_> {
    #[inline]
    fn separate(&mut self) -> Result<()> {
        if self.out.len() > self.limit {
            return Err(Error::custom("the text is too long"));
        }
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
        Ok(())
    }

    #[inline]
    fn add(&mut self, item: &(impl Serialize + ?Sized)) -> Result<()> {
        self.separate()?;
        write_within(self.limit, self.out, item)
    }

    /// The name needs no escapes, because it is that of a field in Rust.
    #[inline(always)]
    fn add_field(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Result<()> {
        if is_raw(name) {
            return self.add_raw(value);
        }
        self.out.reserve(name.len() + 4);
        self.separate()?;
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        write_within(self.limit, self.out, value)
    }

    fn add_raw(&mut self, text: &(impl Serialize + ?Sized)) -> Result<()> {
        match serde_json::to_value(text)? {
            Value::String(text) => self.out.extend_from_slice(text.as_bytes()),
            _ => return Err(Error::custom("raw JSON is text")),
        }
        Ok(())
    }

    #[inline]
    fn finish(self) -> Result<()> {
        self.out.extend_from_slice(self.end.as_bytes());
        Ok(())
    }
}

/// Returns whether this name of a struct or field is that of JSON as text, such as `RawValue` of `serde_json`.
#[inline(always)]
fn is_raw(name: &'static str) -> bool {
    name.starts_with('$')
}

macro_rules! list {
    ($($Trait:ident $add:ident),*) => {$(
        impl ser::$Trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $add<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
                self.add(item)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

list!(
    SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

macro_rules! object {
    ($($Trait:ident),*) => {$(
        impl ser::$Trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.add_field(name, value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

object!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.separate()?;
        let begin = self.out.len();
        write(self.out, key)?;
        if self.out.get(begin) == Some(&b'"') { Ok(()) } else { Err(Error::custom("a key is a string")) }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.out.push(b':');
        write_within(self.limit, self.out, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Serialize;
    use serde_json::value::RawValue;

    use super::*;

    fn written(value: &impl Serialize) -> String {
        let mut out = b"before ".to_vec();
        write(&mut out, value).expect("it has a form in JSON");
        String::from_utf8(out.split_off(7)).expect("JSON is text")
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            r#"[a-z"\\\n\x01é]{0,40}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_are_written_as_serde_json_writes_them(value in value()) {
            prop_assert_eq!(written(&value), value.to_string());
        }
    }

    #[test]
    fn all_kinds_of_types_are_written_as_serde_json_writes_them() {
        #[derive(Serialize)]
        struct Unit;

        #[derive(Serialize)]
        struct Wrapped(u8);

        #[derive(Serialize)]
        struct Pair(u8, Option<char>);

        #[derive(Serialize)]
        enum Kind {
            Plain,
            One(f32),
            Two(u16, i16),
            Named { first: i32, second: () },
        }

        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct All {
            some_units: (Unit, Wrapped, Pair, Pair),
            kinds: [Kind; 4],
            nothing: [u8; 0],
            map: BTreeMap<&'static str, u64>,
            raw: Box<RawValue>,
            #[serde(flatten)]
            more: BTreeMap<&'static str, f64>,
        }

        let all = All {
            some_units: (Unit, Wrapped(1), Pair(2, Some('"')), Pair(3, None)),
            kinds: [Kind::Plain, Kind::One(0.5), Kind::Two(1, -1), Kind::Named { first: 1, second: () }],
            nothing: [],
            map: [("a", 1), ("b\n", u64::MAX)].into(),
            raw: RawValue::from_string(r#"{ "as": ["it", "\n is"] }"#.into()).expect("this is JSON"),
            more: [("c", f64::NAN), ("d", 1e300)].into(),
        };
        assert_eq!(written(&all), serde_json::to_string(&all).expect("it has a form in JSON"));
    }

    #[test]
    fn a_text_that_becomes_too_long_is_not_continued() {
        let mut out = b"before ".to_vec();
        assert!(write_within(20, &mut out, &vec!["four"; 1000]).is_err());
        assert_eq!(out, b"before [\"four\",\"four\"");
        out.clear();
        assert!(write_within(20, &mut out, &["four"; 2]).is_ok());
    }

    #[test]
    fn keys_that_are_no_strings_are_refused() {
        assert!(write(&mut Vec::new(), &BTreeMap::from([(1, 2)])).is_err());
    }
}

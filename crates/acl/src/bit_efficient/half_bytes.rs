//! Numbers and times, in which each digit takes half a byte (SC00069, section 2, coded numbers).

use super::codes::{time, value};
use super::error::{DecodeError, Read, Reason};
use super::input::Input;
use crate::{NotATime, Number, Time, TimeKind};

/// The characters of half bytes, from 0. A blank marks half bytes without a meaning; the first ends a number.
const SIGNS: [u8; 16] = *b" 0123456789 +E-.";

/// Reads a number, after the byte that marks it as one.
pub(crate) fn read_number<'a>(input: &mut Input<'a>) -> Read<Number<'a>> {
    let at = input.at();
    let mut text = String::new();
    loop {
        let byte = input.byte("the end of a number")?;
        for half in [byte >> 4, byte & 0xF] {
            match SIGNS[usize::from(half)] {
                b' ' if half == 0 => return ended(input, at, text, byte),
                b' ' => return input.refuse(Reason::HalfByte(half)),
                sign => text.push(char::from(sign)),
            }
        }
    }
}

/// Returns the number that ended with a byte.
fn ended<'a>(input: &Input<'a>, at: usize, text: String, last: u8) -> Read<Number<'a>> {
    if last & 0xF != 0 {
        return input.refuse(Reason::HalfByte(0));
    }
    Number::new(text).map_err(|error| DecodeError::new(at, Reason::NotANumber(error.0)))
}

/// Writes a number without a lower-case `e`, after the byte that marks it as one.
pub(crate) fn write_number(out: &mut Vec<u8>, number: &str) {
    out.push(value::NUMBER);
    let mut pairs = number.as_bytes().chunks_exact(2);
    out.extend(pairs.by_ref().map(|pair| half_byte(pair[0]) << 4 | half_byte(pair[1])));
    out.push(pairs.remainder().first().map_or(0, |last| half_byte(*last) << 4));
}

/// Returns the half byte for a character of a number.
fn half_byte(character: u8) -> u8 {
    match character {
        b'+' => 0xC,
        b'E' => 0xD,
        b'-' => 0xE,
        b'.' => 0xF,
        digit => digit - b'0' + 1,
    }
}

/// Reads a time.
pub(crate) fn read_time(input: &mut Input<'_>) -> Read<Time> {
    let at = input.at();
    let code = input.byte("a time")?;
    let kind = match code & !time::ZONED {
        time::ABSOLUTE => TimeKind::Absolute,
        time::AFTER => TimeKind::After,
        time::BEFORE => TimeKind::Before,
        _ => return input.refuse(Reason::Unexpected { found: code, expected: "a time" }),
    };
    let [century, year, month, day, hour, minute, second, centisecond] = read_pairs(input)?;
    let last = input.byte("milliseconds")?;
    if last & 0xF != 0 {
        return input.refuse(Reason::HalfByte(last & 0xF));
    }
    let millisecond = digit(last >> 4, input.at() - 1)?;
    let time = Time {
        kind,
        year: u16::from(century) * 100 + u16::from(year),
        month,
        day,
        hour,
        minute,
        second,
        millisecond: u16::from(centisecond) * 10 + u16::from(millisecond),
        zone: if code & time::ZONED != 0 { Some(read_zone(input)?) } else { None },
    };
    match time.out_of_range() {
        None => Ok(time),
        Some((what, value)) => {
            let reason = NotATime::Range { text: time.to_string(), what, value };
            Err(DecodeError::new(at, reason))
        }
    }
}

fn read_zone(input: &mut Input<'_>) -> Read<u8> {
    match input.byte("the letter of a time zone")? {
        letter if letter.is_ascii_alphabetic() => Ok(letter),
        found => input.refuse(Reason::Unexpected { found, expected: "the letter of a time zone" }),
    }
}

/// Reads bytes with two digits each.
fn read_pairs(input: &mut Input<'_>) -> Read<[u8; 8]> {
    let at = input.at();
    let mut pairs = [0; 8];
    for (place, byte) in input.bytes(8, "the digits of a time")?.iter().enumerate() {
        pairs[place] = 10 * digit(byte >> 4, at + place)? + digit(byte & 0xF, at + place)?;
    }
    Ok(pairs)
}

/// Returns the digit of a half byte in the byte at this place.
fn digit(half: u8, at: usize) -> Read<u8> {
    match half {
        1..=10 => Ok(half - 1),
        _ => Err(DecodeError::new(at, Reason::HalfByte(half))),
    }
}

/// Returns the byte for these two digits.
fn pair(two: u8) -> u8 {
    (two / 10 + 1) << 4 | (two % 10 + 1)
}

/// Writes a valid time.
pub(crate) fn write_time(out: &mut Vec<u8>, time: &Time) {
    let code = match time.kind {
        TimeKind::Absolute => time::ABSOLUTE,
        TimeKind::After => time::AFTER,
        TimeKind::Before => time::BEFORE,
    };
    let Time { month, day, hour, minute, second, .. } = *time;
    let [century, year] = [(time.year / 100) as u8, (time.year % 100) as u8];
    let [centisecond, millisecond] = [(time.millisecond / 10) as u8, (time.millisecond % 10) as u8];
    out.push(if time.zone.is_some() { code | time::ZONED } else { code });
    out.extend([century, year, month, day, hour, minute, second, centisecond].into_iter().map(pair));
    out.push((millisecond + 1) << 4);
    out.extend(time.zone);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_end_with_an_empty_half_byte() {
        for (number, bytes) in [
            ("200006101030", &b"\x12\x31\x11\x17\x21\x21\x41\x00"[..]),
            ("123", b"\x12\x23\x40"),
            ("-1.5E+3", b"\x12\xE2\xF6\xDC\x40"),
        ] {
            let mut out = Vec::new();
            write_number(&mut out, number);
            assert_eq!(out, bytes);
            assert_eq!(read_number(&mut Input::strict(&out[1..])).unwrap().as_str(), number);
        }
    }

    #[test]
    fn rejects_half_bytes_without_meaning() {
        let read = |bytes: &'static [u8]| read_number(&mut Input::strict(bytes)).map_err(|error| error.reason);
        assert_eq!(read(b"\x2B\x00"), Err(Reason::HalfByte(0xB)));
        assert_eq!(read(b"\x22\x02"), Err(Reason::HalfByte(0)));
        assert_eq!(read(b"\xCC\x00"), Err(Reason::NotANumber("++".into())));
        assert_eq!(read(b"\x22"), Err(Reason::Truncated("the end of a number")));
    }
}

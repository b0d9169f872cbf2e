//! Points in time and durations.

use std::fmt;
use std::str::FromStr;

use crate::Unencodable;

/// A point in time, or a duration counted from when the message is received (SC00070, `DateTime`). It keeps the
/// written form: [`Time::moment`] converts a duration to a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    /// Whether it is a point in time or a duration.
    pub kind: TimeKind,
    /// Years, 0 to 9999.
    pub year: u16,
    /// Months: 1 to 12 of a point in time, 0 to 99 of a duration.
    pub month: u8,
    /// Days: 1 to 31, or 0 to 99.
    pub day: u8,
    /// Hours: 0 to 23, or 0 to 99.
    pub hour: u8,
    /// Minutes: 0 to 59, or 0 to 99.
    pub minute: u8,
    /// Seconds: 0 to 59, or 0 to 99.
    pub second: u8,
    /// Milliseconds, 0 to 999.
    pub millisecond: u16,
    /// The letter of its time zone: `Z` is UTC; without one, it is the local time of the reader.
    pub zone: Option<u8>,
}

/// The reference point of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeKind {
    /// A point in time.
    Absolute,
    /// A duration after the message is received.
    After,
    /// A duration before the message is received.
    Before,
}

/// A text that is not a time, or an invalid time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotATime {
    /// It does not look like a time.
    #[error("{0:?} is no time, such as 20300101T120000000Z or +00000000T000500000")]
    Form(String),
    /// It looks like one, but a part is out of range.
    #[error("there is no {what} {value} in {text}")]
    Range {
        /// The text.
        text: String,
        /// The part: `month`.
        what: &'static str,
        /// The value.
        value: u16,
    },
}

const MILLISECONDS_A_DAY: i64 = 86_400_000;

impl Time {
    /// Creates a point in time in UTC from milliseconds since the beginning of 1970. Times before the year 0 or after
    /// the year 9999 become the first or last one that can be written.
    pub fn at(moment: i64) -> Self {
        let first = days_until(0, 1, 1) * MILLISECONDS_A_DAY;
        let last = days_until(10_000, 1, 1) * MILLISECONDS_A_DAY - 1;
        let moment = moment.clamp(first, last);
        let (year, month, day) = date_after(moment.div_euclid(MILLISECONDS_A_DAY));
        let rest = moment.rem_euclid(MILLISECONDS_A_DAY);
        Self {
            kind: TimeKind::Absolute,
            year,
            month,
            day,
            hour: (rest / 3_600_000) as u8,
            minute: (rest / 60_000 % 60) as u8,
            second: (rest / 1000 % 60) as u8,
            millisecond: (rest % 1000) as u16,
            zone: Some(b'Z'),
        }
    }

    /// Creates a duration after the message is received, written in days, hours, minutes, seconds and milliseconds;
    /// at most 99 days.
    pub fn after(milliseconds: u64) -> Self {
        let days = milliseconds / MILLISECONDS_A_DAY as u64;
        let time = Self::at((milliseconds % MILLISECONDS_A_DAY as u64) as i64);
        Self { kind: TimeKind::After, year: 0, month: 0, day: days.min(99) as u8, zone: None, ..time }
    }

    /// Returns the point in time, in milliseconds since the beginning of 1970 (UTC), for an agent that received it at
    /// `received`. For durations, a year has 365 days and a month 30. A time without a zone is in the receiver's
    /// local time, which is `offset` minutes ahead of UTC.
    pub fn moment(&self, received: i64, offset: i32) -> i64 {
        let clock = ((i64::from(self.hour) * 60 + i64::from(self.minute)) * 60 + i64::from(self.second)) * 1000
            + i64::from(self.millisecond);
        let days = i64::from(self.year) * 365 + i64::from(self.month) * 30 + i64::from(self.day);
        match self.kind {
            TimeKind::After => received + days * MILLISECONDS_A_DAY + clock,
            TimeKind::Before => received - days * MILLISECONDS_A_DAY - clock,
            TimeKind::Absolute => {
                let days = days_until(i64::from(self.year), self.month, self.day);
                let ahead = if self.zone.is_none() { i64::from(offset) * 60_000 } else { 0 };
                days * MILLISECONDS_A_DAY + clock - ahead
            }
        }
    }

    /// Parses bytes as [`FromStr`] does.
    ///
    /// # Errors
    /// Returns an error if it is not a time.
    pub(crate) fn read(text: &[u8]) -> Result<Self, NotATime> {
        let form = || NotATime::Form(String::from_utf8_lossy(text).into_owned());
        let (kind, rest) = match text.split_first() {
            Some((b'+', rest)) => (TimeKind::After, rest),
            Some((b'-', rest)) => (TimeKind::Before, rest),
            _ => (TimeKind::Absolute, text),
        };
        let (digits, zone) = match rest.split_last() {
            Some((letter, digits)) if letter.is_ascii_alphabetic() => (digits, Some(*letter)),
            _ => (rest, None),
        };
        if digits.len() != 18 || digits[8] != b'T' {
            return Err(form());
        }
        if !digits.iter().enumerate().all(|(place, byte)| place == 8 || byte.is_ascii_digit()) {
            return Err(form());
        }
        let part =
            |from: usize, to: usize| digits[from..to].iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
        let time = Self {
            kind,
            year: part(0, 4),
            month: part(4, 6) as u8,
            day: part(6, 8) as u8,
            hour: part(9, 11) as u8,
            minute: part(11, 13) as u8,
            second: part(13, 15) as u8,
            millisecond: part(15, 18),
            zone,
        };
        match time.out_of_range() {
            None => Ok(time),
            Some((what, value)) => {
                Err(NotATime::Range { text: String::from_utf8_lossy(text).into_owned(), what, value })
            }
        }
    }

    /// Returns the part that is out of range, and its value.
    pub(crate) fn out_of_range(&self) -> Option<(&'static str, u16)> {
        let Self { year, month, day, hour, minute, second, .. } = *self;
        let (months, days, hours, sixtieths) = match self.kind {
            TimeKind::Absolute => (1..=12, 1..=days_in(year, month), 0..=23, 0..=59),
            TimeKind::After | TimeKind::Before => (0..=99, 0..=99, 0..=99, 0..=99),
        };
        let wrong = |what, value: u8| Some((what, u16::from(value)));
        match self.zone {
            _ if year > 9999 => Some(("year", year)),
            _ if !months.contains(&month) => wrong("month", month),
            _ if !days.contains(&day) => wrong("day", day),
            _ if !hours.contains(&hour) => wrong("hour", hour),
            _ if !sixtieths.contains(&minute) => wrong("minute", minute),
            _ if !sixtieths.contains(&second) => wrong("second", second),
            _ if self.millisecond > 999 => Some(("millisecond", self.millisecond)),
            Some(zone) if !zone.is_ascii_alphabetic() => wrong("zone", zone),
            _ => None,
        }
    }
}

/// Checks that a time can be written.
///
/// # Errors
/// Returns an error if one of its parts is out of range.
pub(crate) fn checked(time: &Time) -> Result<&Time, Unencodable> {
    match time.out_of_range() {
        None => Ok(time),
        Some((part, value)) => Err(Unencodable::new(format!("the {part}"), &value.to_string(), "which no time has")),
    }
}

/// Whether a text looks like a time, valid or not.
pub(crate) fn is_time(text: &str) -> bool {
    !matches!(Time::read(text.as_bytes()), Err(NotATime::Form(_)))
}

fn days_in(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the beginning of 1970 to a date of the Gregorian calendar. Years begin in March, so that leap days come
/// last.
fn days_until(year: i64, month: u8, day: u8) -> i64 {
    let month = i64::from(month);
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + i64::from(day) - 1 - 719_468
}

/// Returns the date this many days after the beginning of 1970, in the years 0 to 9999.
fn date_after(days: i64) -> (u16, u8, u8) {
    let guess = days.div_euclid(365).min(days.div_euclid(366)) + 1970;
    let year = (guess.max(0)..).find(|year| days < days_until(year + 1, 1, 1)).unwrap_or(guess);
    let month = (1..12).find(|month| days < days_until(year, month + 1, 1)).unwrap_or(12);
    let day = days - days_until(year, month, 1) + 1;
    (year as u16, month, day as u8)
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            TimeKind::Absolute => "",
            TimeKind::After => "+",
            TimeKind::Before => "-",
        })?;
        let Self { year, month, day, hour, minute, second, millisecond, .. } = self;
        write!(f, "{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}{millisecond:03}")?;
        self.zone.map_or(Ok(()), |zone| write!(f, "{}", char::from(zone)))
    }
}

impl FromStr for Time {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        Time::read(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_start_when_the_message_is_received() {
        let time: Time = "+00000000T000500000".parse().unwrap();
        assert_eq!(time.moment(1_000, 0), 301_000);
        assert_eq!(Time::after(300_000), time);
        assert_eq!("-00000001T000000001".parse::<Time>().unwrap().moment(0, 0), -86_400_001);
        assert_eq!("+00010100T000000000".parse::<Time>().unwrap().moment(0, 0), (365 + 30) * 86_400_000);
    }

    #[test]
    fn converts_points_in_time_by_the_calendar() {
        let time: Time = "20300317T174640000Z".parse().unwrap();
        assert_eq!(time.moment(0, 60), 1_900_000_000_000);
        assert_eq!("20300317T184640000".parse::<Time>().unwrap().moment(0, 60), 1_900_000_000_000);
        assert_eq!(Time::at(0).to_string(), "19700101T000000000Z");
        assert_eq!(Time::at(i64::MAX).to_string(), "99991231T235959999Z");
        assert_eq!(Time::at(i64::MIN).to_string(), "00000101T000000000Z");
    }

    #[test]
    fn rejects_invalid_dates() {
        let range = |what, value, text: &str| Err(NotATime::Range { text: text.into(), what, value });
        for (what, value, text) in [
            ("month", 13, "20301341T250000000Z"),
            ("day", 29, "21000229T000000000Z"),
            ("hour", 24, "20300101T240000000"),
            ("minute", 60, "20300101T236000000"),
            ("second", 61, "20300101T235961000"),
        ] {
            assert_eq!(text.parse::<Time>(), range(what, value, text));
        }
        assert!("20240229T000000000".parse::<Time>().is_ok());
        for text in ["", "20300101", "20300101T1200000000", "2030010aT120000000", "20300101T120000000ZZ"] {
            assert_eq!(text.parse::<Time>(), Err(NotATime::Form(text.into())));
        }
    }

    proptest! {
        #[test]
        fn reads_the_moments_that_it_writes(moment in -62_167_219_200_000_i64..253_402_300_800_000) {
            let time = Time::at(moment);
            prop_assert_eq!(time.moment(0, 0), moment);
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }
    }
}

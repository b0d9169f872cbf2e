//! A sample of random numbers from one distribution, and the confidence interval of its mean.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Confidence level of intervals.
const CONFIDENCE: f64 = 0.95;

/// Degrees of freedom above which the quantile is computed from the normal distribution. The error is then less than
/// 1e-7; the error of the iteration in `statrs` grows with the degrees, up to 0.13 at ten million.
const MANY: f64 = 10_000.0;

/// Mean and variance of numbers that are added one by one (Welford 1962). Equal numbers have exactly that number as
/// their mean, and deviation 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) n: u64,
    pub(super) mean: f64,
    pub(super) least: f64,
    pub(super) greatest: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
}

impl Sample {
    /// Creates a sample of one number.
    pub(super) fn new(number: f64) -> Self {
        Self { n: 1, mean: number, least: number, greatest: number, squares: 0.0 }
    }

    /// Adds a number.
    pub(super) fn add(&mut self, number: f64) {
        self.n += 1;
        let before = number - self.mean;
        self.mean += before / self.n as f64;
        self.squares += before * (number - self.mean);
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
    }

    /// Returns the sample standard deviation; `None` for a single number.
    pub(super) fn deviation(&self) -> Option<f64> {
        (self.n > 1).then(|| (self.squares / self.degrees()).sqrt())
    }

    /// Returns half the width of the confidence interval, by Student's t-distribution; `None` for a single number.
    pub(super) fn reach(&self) -> Option<f64> {
        let deviation = self.deviation()?;
        Some(quantile(self.degrees()) * deviation / (self.n as f64).sqrt())
    }

    fn degrees(&self) -> f64 {
        (self.n - 1) as f64
    }
}

/// Returns the half-width of the interval, in standard errors.
fn quantile(degrees: f64) -> f64 {
    let below = 0.5 + CONFIDENCE / 2.0;
    if degrees <= MANY {
        let student = StudentsT::new(0.0, 1.0, degrees).expect("there is at least one degree of freedom");
        return student.inverse_cdf(below);
    }
    // The first two terms of the expansion in the degrees (Abramowitz and Stegun, 26.7.5).
    let normal = Normal::standard().inverse_cdf(below);
    normal + (normal.powi(3) + normal) / (4.0 * degrees)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(numbers: &[f64]) -> Sample {
        let (first, others) = numbers.split_first().expect("there are numbers");
        let mut sample = Sample::new(*first);
        others.iter().for_each(|number| sample.add(*number));
        sample
    }

    #[test]
    fn quantiles_agree_with_the_published_table() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, column 0.975.
        let table = [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (4.0, 2.776),
            (9.0, 2.262),
            (10.0, 2.228),
            (19.0, 2.093),
            (29.0, 2.045),
            (49.0, 2.010),
            (99.0, 1.984),
            (1e9, 1.960),
        ];
        for (degrees, expected) in table {
            let found = quantile(degrees);
            assert!((found - expected).abs() < 0.000_5, "{degrees} degrees: {found}");
        }
    }

    #[test]
    fn both_ways_to_compute_quantiles_agree_where_they_meet() {
        let (before, after) = (quantile(MANY), quantile(MANY + 1.0));
        assert!((before - after).abs() < 1e-6, "{before} {after}");
    }

    #[test]
    fn the_interval_of_two_numbers_is_wide() {
        let two = sample(&[1.0, 3.0]);
        assert_eq!((two.n, two.mean, two.least, two.greatest), (2, 2.0, 1.0, 3.0));
        assert_eq!(two.deviation(), Some(2.0_f64.sqrt()));
        // The standard error is 1.
        assert!((two.reach().expect("there are two") - 12.706_204_736).abs() < 1e-8);
    }

    #[test]
    fn deviations_are_sample_deviations() {
        let numbers = sample(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(numbers.mean, 5.0);
        assert!((numbers.deviation().expect("there are eight") - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn great_numbers_do_not_drown_small_differences() {
        let numbers = sample(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]);
        assert_eq!(numbers.mean, 1e9 + 10.0);
        assert!((numbers.deviation().expect("there are four") - 30.0_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn equal_numbers_have_no_deviation() {
        let constant = sample(&[0.1; 1000]);
        assert_eq!((constant.mean, constant.least, constant.greatest), (0.1, 0.1, 0.1));
        assert_eq!((constant.deviation(), constant.reach()), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn one_number_has_no_deviation() {
        let one = sample(&[7.0]);
        assert_eq!((one.n, one.mean, one.deviation(), one.reach()), (1, 7.0, None, None));
    }
}

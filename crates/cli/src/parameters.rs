//! Parameters of environments as they stand on the command line.

use std::str::FromStr;

use situated::iil::Parameter;

/// Reads `key=value`, where the value is in the interface intermediate language, or else an identifier.
pub(crate) fn parameter(text: &str) -> Result<(String, Parameter), String> {
    let (name, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as `view=global`")?;
    let value = Parameter::from_str(value).unwrap_or_else(|_| value.into());
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_terms_or_else_identifiers() {
        let value = |text| parameter(text).expect("there is a value").1;
        assert_eq!(value("n=3"), Parameter::from(3));
        assert_eq!(value("a=[1,b]").to_string(), "[1,b]");
        assert_eq!(value("map=Rainbow.map"), Parameter::from("Rainbow.map"));
        assert_eq!(value("text=a=b"), Parameter::from("a=b"));
        assert!(parameter("view").is_err());
    }
}

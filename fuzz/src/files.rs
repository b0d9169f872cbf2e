//! Properties of every team file and token file: reading it does not panic, and errors are explained.

/// Reads the data as the file of a team and as a file with tokens.
pub fn file(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for checked in
        [situated_cli::check_team_file(&text, situated_registry::shipped), situated_cli::check_token_file(&text)]
    {
        assert!(checked.err().is_none_or(|mistake| !mistake.is_empty()), "a refusal without a reason");
    }
}

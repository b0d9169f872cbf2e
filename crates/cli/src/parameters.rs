//! Parameters of environments as people give them: on the command line, or in a team file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use situated::iil::{Numeral, Parameter};
use situated::names::NAME_LENGTH;
use situated::ontology::Ontology;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum size of a parameter's file in MiB. Recordings need up to six bytes for each byte, and have room for that.
const LONGEST: u64 = 8;

/// Characters that occur in texts but practically never in paths.
const IN_NO_PATH: [char; 4] = ['<', '=', '\n', '\0'];

/// Splits `key=value` of a command line.
pub(crate) fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as `view=global`")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads a value of a command line: a term of the interface intermediate language, or else an identifier.
pub(crate) fn value(text: &str) -> Parameter {
    Parameter::from_str(text).unwrap_or_else(|_| text.into())
}

/// Returns the values of parameters of a command line. Those that are files are paths relative to the current folder,
/// whatever the paths look like.
///
/// # Errors
/// Returns an error as [`with_contents`] does.
pub(crate) fn values(given: &[(String, String)], ontology: &Ontology) -> anyhow::Result<BTreeMap<String, Parameter>> {
    let is_file = |name: &str| ontology.parameters.iter().any(|field| field.name == name && field.is_file());
    let read = |(name, text): &(String, String)| {
        (name.clone(), if is_file(name) { text.as_str().into() } else { value(text) })
    };
    with_contents(given.iter().map(read).collect(), ontology, Path::new(""))
}

/// Replaces the paths of parameters that are files with the contents of the files. Paths are relative to `folder`.
///
/// A value that is not the path of a file stays as it is: a name that the environment may know, or contents. A whole
/// number is such a name, too.
///
/// # Errors
/// Returns an error if a value looks like a path but there is no such file, or if the file is too large, or is neither
/// text nor binary.
pub(crate) fn with_contents(
    mut parameters: BTreeMap<String, Parameter>,
    ontology: &Ontology,
    folder: &Path,
) -> anyhow::Result<BTreeMap<String, Parameter>> {
    for field in ontology.parameters.iter().filter(|field| field.is_file()) {
        let Some(given) = parameters.get_mut(&field.name) else { continue };
        if let Parameter::Numeral(Numeral::Integer(number)) = given {
            *given = Parameter::Identifier(number.to_string().into());
        }
        if let Parameter::Identifier(value) = given
            && let Some(text) = contents_at(&field.name, value, folder)?
        {
            *value = text.into();
        }
    }
    Ok(parameters)
}

/// Replaces the documents among parameters by what identifies them: their lengths and hashes. A document is the value
/// of a parameter that is a file, if it has several lines or is longer than a name.
pub(crate) fn without_documents(
    mut parameters: BTreeMap<String, Parameter>,
    ontology: &Ontology,
) -> BTreeMap<String, Parameter> {
    for field in ontology.parameters.iter().filter(|field| field.is_file()) {
        if let Some(Parameter::Identifier(text)) = parameters.get_mut(&field.name)
            && (text.contains('\n') || text.len() > NAME_LENGTH)
        {
            *text = format!("document of {} bytes, xxh3 {:016x}", text.len(), xxh3_64(text.as_bytes())).into();
        }
    }
    parameters
}

/// Returns the text of the file whose path is the value of a parameter, or `None` if the value is not a path. A file
/// with a zero byte is binary: its text is base64.
fn contents_at(name: &str, value: &str, folder: &Path) -> anyhow::Result<Option<String>> {
    let path = folder.join(value);
    if path.exists() && !path.is_dir() {
        let bytes = read_bytes(&path, &format!("file for `{name}`"), LONGEST)?;
        check_not_utf16(&bytes, &path)?;
        let text = if bytes.contains(&0) { BASE64_STANDARD.encode(bytes) } else { to_text(bytes, &path)? };
        return Ok(Some(text));
    }
    match (looks_like_path(value), path.is_dir()) {
        (true, true) => bail!("{}, for the parameter `{name}`, is a folder; give a file", path.display()),
        (true, false) => bail!("there is no file {} for the parameter `{name}`", path.display()),
        (false, _) => Ok(None),
    }
}

/// Reads a text file. `kind` names it in errors, for example `team file`; `mebibytes` is the size limit.
///
/// # Errors
/// Returns an error if the file cannot be read, is too large, or is not UTF-8.
pub(crate) fn read_text(path: &Path, kind: &str, mebibytes: u64) -> anyhow::Result<String> {
    to_text(read_bytes(path, kind, mebibytes)?, path)
}

fn read_bytes(path: &Path, kind: &str, mebibytes: u64) -> anyhow::Result<Vec<u8>> {
    let cannot_read = || format!("cannot read the {kind} {}", path.display());
    let longest = mebibytes << 20;
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(cannot_read)?;
    file.take(longest + 1).read_to_end(&mut bytes).with_context(cannot_read)?;
    if bytes.len() as u64 > longest {
        bail!("{} has more than {mebibytes} MiB, too much for a {kind}; is it the right file?", path.display());
    }
    Ok(bytes)
}

/// Returns an error if a file begins with the byte order mark of UTF-16.
fn check_not_utf16(bytes: &[u8], path: &Path) -> anyhow::Result<()> {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        bail!("{} is text in UTF-16; save it as UTF-8", path.display());
    }
    Ok(())
}

fn to_text(bytes: Vec<u8>, path: &Path) -> anyhow::Result<String> {
    check_not_utf16(&bytes, path)?;
    if let Some(zero) = bytes.iter().position(|byte| *byte == 0) {
        let (path, place) = (path.display(), zero + 1);
        bail!("{path} is not UTF-8 text: byte {place} is zero, as in text in UTF-16; save it as UTF-8");
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        anyhow::anyhow!("{} is not UTF-8 text: byte {} is invalid; save it as UTF-8", path.display(), good + 1)
    })
}

/// Returns whether a value is a path rather than a name or contents: it has a folder or an extension.
fn looks_like_path(value: &str) -> bool {
    let path = Path::new(value);
    !value.contains(IN_NO_PATH) && (path.extension().is_some() || path.components().count() > 1)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::{env, fs, process};

    use situated::ontology::typed::ParameterType as _;
    use situated::ontology::{Field, FileContents, Type};

    use super::*;
    use crate::environments;

    /// A folder that is removed when this is dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = env::temp_dir().join(format!("situated-{}-{name}", process::id()));
            fs::create_dir_all(folder.join("maps")).expect("there is room");
            Self(folder)
        }

        fn write(&self, path: &str, bytes: &[u8]) {
            fs::write(self.0.join(path), bytes).expect("there is room");
        }

        /// Reads a value, and returns the result or the error without the folder.
        fn read(&self, name: &str, value: impl Into<Parameter>) -> Result<Parameter, String> {
            let given = BTreeMap::from([(name.to_owned(), value.into())]);
            let read = with_contents(given, &ontology(), &self.0).map(|mut parameters| parameters.remove(name));
            let folder = format!("{}{}", self.0.display(), std::path::MAIN_SEPARATOR);
            read.map(|value| value.expect("it is there")).map_err(|error| format!("{error:#}").replace(&folder, ""))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// The ontology of an environment with a map that may be a file, and a player that is a name.
    fn ontology() -> Ontology {
        let mut ontology = environments::find("find-goals").expect("it ships").ontology.clone();
        let map = Field::new("map", "", FileContents::declare(&mut ontology.types));
        ontology.parameters.extend([map, Field::new("player", "", Type::Identifier)]);
        ontology
    }

    #[test]
    fn a_value_that_is_not_a_term_is_an_identifier() {
        let value = |text| value(&parameter(text).expect("there is a value").1);
        assert_eq!(value("n=3"), Parameter::from(3));
        assert_eq!(value("a=[1,b]").to_string(), "[1,b]");
        assert_eq!(value("map=Rainbow.map"), Parameter::from("Rainbow.map"));
        assert_eq!(value("map=maps/Dutch Flag.map"), Parameter::from("maps/Dutch Flag.map"));
        assert_eq!(value("text=a=b"), Parameter::from("a=b"));
        assert!(parameter("view").is_err());
    }

    #[test]
    fn files_are_read_for_parameters_that_are_files() {
        let folder = Folder::new("read");
        folder.write("maps/my map.xml", "<newMap>ä</newMap>\n".as_bytes());
        folder.write("plain", b"");
        folder.write("maps/level.bin", b"\xff\0");
        assert_eq!(folder.read("map", "maps/my map.xml"), Ok("<newMap>ä</newMap>\n".into()));
        assert_eq!(folder.read("map", "plain"), Ok("".into()));
        assert_eq!(folder.read("map", "maps/level.bin"), Ok("/wA=".into()), "binary files are base64");
        let absolute = folder.0.join("maps/my map.xml").display().to_string();
        assert_eq!(folder.read("map", absolute.as_str()), Ok("<newMap>ä</newMap>\n".into()));
        for value in ["maps/my map.xml", "plain", "maps/none.xml"] {
            assert_eq!(folder.read("player", value), Ok(value.into()));
        }
    }

    #[test]
    fn files_are_read_whatever_their_names_look_like() {
        let folder = Folder::new("looks");
        for name in ["7", "007", "true", "a(b)", "[a,b]", "a=b.map", "a<b"] {
            folder.write(name, b"the map");
            let path = folder.0.join(name).display().to_string();
            let given = [("map".to_owned(), path), ("player".to_owned(), name.to_owned())];
            let read = values(&given, &ontology()).expect("there is a file");
            assert_eq!((&read["map"], &read["player"]), (&"the map".into(), &value(name)));
            assert_eq!(folder.read("map", name), Ok("the map".into()));
        }
        // The names of levels and maps that the environment knows.
        for name in ["3", "true", "f(x)"] {
            let given = [("map".to_owned(), name.to_owned())];
            assert_eq!(values(&given, &ontology()).expect("it is no path")["map"], Parameter::from(name));
        }
    }

    #[test]
    fn a_value_that_is_not_a_path_is_unchanged() {
        let folder = Folder::new("names");
        let long = "x".repeat(100_000);
        for value in ["Rainbow", "Dutch Flag", "maps", "", "<newMap>1.5</newMap>", "speed = 0.5", "a/b\nc.d", &long] {
            assert_eq!(folder.read("map", value), Ok(value.into()));
        }
        assert_eq!(folder.read("map", 7), Ok("7".into()), "the name of a level");
        assert_eq!(folder.read("player", 7), Ok(7.into()));
    }

    #[test]
    fn files_that_cannot_be_read_are_named_with_their_parameter() {
        let folder = Folder::new("wrong");
        folder.write("latin1.xml", b"<a>\xe4</a>");
        let long = vec![b' '; (LONGEST << 20) as usize + 1];
        folder.write("long.xml", &long);
        folder.write("longest.xml", &long[1..]);
        for (value, expected) in [
            ("none.xml", "there is no file none.xml for the parameter `map`"),
            ("maps/none", "there is no file maps/none for the parameter `map`"),
            ("maps/..", "maps/.., for the parameter `map`, is a folder; give a file"),
            ("latin1.xml", "latin1.xml is not UTF-8 text: byte 4 is invalid; save it as UTF-8"),
            ("long.xml", "long.xml has more than 8 MiB, too much for a file for `map`; is it the right file?"),
        ] {
            assert_eq!(folder.read("map", value), Err(expected.to_owned()));
        }
        assert!(folder.read("map", "longest.xml").is_ok());
    }
}

//! Parameters that people keep in files: an environment receives the contents of the file, and never deals with
//! files.

use std::any::type_name;
use std::hash::{Hash, Hasher};

use super::typed::{ParameterType, derived};
use super::{Field, NamedTypes, Type};
use crate::iil::{EcoString, Parameter};

/// The name that [`FileContents`] has in ontologies, by which the command line recognises it.
const FILE_CONTENTS: &str = "FileContents";

const DOCUMENTATION: &str = "\
The contents of a file as text, or a name that the environment knows. On the command line and in the file of a team it \
is the path of the file; everywhere else it is the text itself.";

/// A parameter that is the contents of a text file, such as a map; or a short name, if the environment knows some.
///
/// On the command line, people write the path of a file, and the command reads it. Only the text is sent, recorded
/// and passed to the environment, so no remote client can name a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileContents(String);

impl FileContents {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for FileContents {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for FileContents {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl ParameterType for FileContents {
    fn declare(types: &mut NamedTypes) -> Type {
        derived::declare(types, type_name::<Self>(), FILE_CONTENTS, DOCUMENTATION, |_| Type::Identifier)
    }

    fn to_parameter(&self) -> Parameter {
        Parameter::Identifier(EcoString::from(self.as_str()))
    }

    fn from_parameter(parameter: &Parameter) -> Option<Self> {
        derived::identifier(parameter).map(Self::from)
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn digest<H: Hasher>(&self, state: &mut H) {
        self.hash(state);
    }
}

impl Field {
    /// Returns whether the parameter takes the [contents of a file](FileContents).
    pub fn is_file(&self) -> bool {
        matches!(&self.of, Type::Named(name) if name == FILE_CONTENTS)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::InitParameters;
    use crate::ontology::typed::InitParameters;

    #[derive(Clone, Debug, InitParameters)]
    struct Parameters {
        /// The map.
        #[parameter(default = "Rainbow", names = ["Rainbow", "Banana"])]
        map: FileContents,
        /// The team.
        team: Option<FileContents>,
        /// The player.
        player: Option<String>,
    }

    #[test]
    fn file_contents_are_declared_by_name() {
        let mut types = NamedTypes::new();
        let fields = Parameters::fields(&mut types);
        let files: Vec<bool> = fields.iter().map(Field::is_file).collect();
        assert_eq!(files, [true, true, false]);
        assert_eq!(fields.iter().map(|field| field.names.len()).collect::<Vec<_>>(), [2, 0, 0]);
        assert_eq!(types[FILE_CONTENTS].of, Type::Identifier);
    }

    #[test]
    fn file_contents_are_identifiers() {
        let text = "<newMap>\n</newMap>";
        let given = BTreeMap::from([("team".to_owned(), Parameter::from(text))]);
        let parameters = Parameters::from_iil(&given).expect("they fit");
        assert_eq!((parameters.map.as_str(), parameters.player), ("Rainbow", None));
        let team = parameters.team.expect("it is given");
        assert_eq!((team.as_str(), team.to_parameter()), (text, text.into()));
        assert!(FileContents::from_parameter(&3.into()).is_none());
    }
}

//! Documents: texts that people write for an environment, such as a map. A document is the value of a parameter that
//! takes the [contents of a file](crate::ontology::FileContents). An environment
//! [examines](crate::environment::Environment::examine) documents before an episode begins with them, so that an editor
//! can show problems where they are.

use crate::data;

/// Maximum number of findings in an [`Examination`].
pub const MOST_FINDINGS: usize = 100;

/// The result of examining a document.
#[data(Default)]
pub struct Examination {
    /// The findings, errors first. There are at most 100.
    pub findings: Vec<Finding>,
    /// The document in each format of its kind; empty if it could not be read.
    pub forms: Vec<DocumentForm>,
}

/// A fact about a document that its author should know.
#[data(Eq)]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// The line in the document, from 1, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The part of the document in which the finding applies, as the document names it: `<zones> RoomA1`.
    pub place: String,
    /// The path of this part, for editors: the name of a list and an index from 0, such as `zones/3`; empty for the
    /// document as a whole.
    pub path: String,
    /// The finding.
    pub text: String,
}

/// The severity of a finding.
#[data(Copy, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No episode can begin with the document.
    Error,
    /// An episode can begin, but probably not as intended.
    Warning,
    /// A fact without a problem.
    Note,
}

/// A document in one format.
#[data(Eq)]
pub struct DocumentForm {
    /// The name of the format, which is the usual extension of its files: `xml`.
    pub format: String,
    /// The document.
    pub text: String,
}

impl Examination {
    /// Returns the examination of a document with these findings and forms. Sorts the findings by severity, and leaves
    /// out those beyond the [limit](MOST_FINDINGS).
    pub fn new(mut findings: Vec<Finding>, forms: Vec<DocumentForm>) -> Self {
        findings.sort_by_key(|finding| finding.severity);
        findings.truncate(MOST_FINDINGS);
        Self { findings, forms }
    }

    /// Returns whether there are neither errors nor warnings.
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity == Severity::Note)
    }
}

impl DocumentForm {
    /// Creates a form.
    pub fn new(format: impl Into<String>, text: impl Into<String>) -> Self {
        Self { format: format.into(), text: text.into() }
    }
}

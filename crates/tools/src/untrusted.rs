//! The declarations of hosted environments. Models read documentation as if the person in front of them had written it,
//! so that of a host which nobody vouches for is left out.

use situated::ontology::{Field, Ontology, Signature, Type};

/// Returns an ontology without documentation.
pub fn without_documentation(ontology: &Ontology) -> Ontology {
    let mut ontology = ontology.clone();
    ontology.documentation = "The host of this environment is not trusted, so its documentation is left out.".into();
    for entity_type in &mut ontology.entity_types {
        entity_type.documentation.clear();
        entity_type.actions.iter_mut().for_each(of_signature);
        for percept in &mut entity_type.percepts {
            of_signature(&mut percept.signature);
            percept.say = None;
        }
    }
    ontology.parameters.iter_mut().for_each(of_field);
    let properties = ontology.properties.iter_mut().chain(&mut ontology.entity_properties);
    properties.for_each(|property| property.documentation.clear());
    for named in ontology.types.values_mut() {
        named.documentation.clear();
        of_type(&mut named.of);
    }
    ontology
}

fn of_signature(signature: &mut Signature) {
    signature.documentation.clear();
    signature.parameters.iter_mut().for_each(of_field);
}

fn of_field(field: &mut Field) {
    field.documentation.clear();
    of_type(&mut field.of);
}

fn of_type(of: &mut Type) {
    match of {
        Type::Choice(words) => words.iter_mut().for_each(|word| word.documentation.clear()),
        Type::List(of) => of_type(of),
        Type::Function(signature) => of_signature(signature),
        Type::Any | Type::Identifier | Type::Integer { .. } | Type::Number | Type::TruthValue | Type::Named(_) => {}
    }
}

//! A bell that can be rung a limited number of times, in versions whose action contradicts its declaration.

use situated::iil::{Numeral, Parameter};
use situated::ontology::Type;
use situated::ontology::typed::ParameterType;

/// Declares a bell whose number of strokes is declared and parsed like this.
macro_rules! bell {
    ($version:ident, $declared:expr, $is_read:expr) => {
        pub(crate) mod $version {
            use serde::{Deserialize, Serialize};
            use situated::environment::{Context, EntityId, Environment, Failure, Percepts};
            use situated::ontology::Ontology;
            use situated::{Action, Percept};

            use super::*;

            #[derive(Clone, Debug)]
            pub(crate) struct Strokes(i64);

            impl ParameterType for Strokes {
                fn declare(_: &mut situated::ontology::NamedTypes) -> Type {
                    $declared
                }

                fn to_parameter(&self) -> Parameter {
                    self.0.into()
                }

                fn from_parameter(parameter: &Parameter) -> Option<Self> {
                    let Parameter::Numeral(Numeral::Integer(strokes)) = *parameter else { return None };
                    let is_read: fn(i64) -> bool = $is_read;
                    is_read(strokes).then_some(Self(strokes))
                }
            }

            #[derive(Clone, Debug, Action)]
            pub(crate) enum Action {
                /// Rings.
                Ring { strokes: Strokes },
            }

            #[derive(Clone, Debug, Percept)]
            pub(crate) enum Percept {
                /// The number of strokes so far.
                #[percept(on_change)]
                Rung { strokes: i64 },
            }

            #[derive(Debug, Serialize, Deserialize)]
            pub(crate) struct Bell(i64);

            impl Environment for Bell {
                type Parameters = ();
                type Action = Action;
                type Percept = Percept;

                fn ontology() -> Ontology {
                    let builder = Self::ontology_builder("bell", "1.0", "A bell.");
                    builder.entity_type("ringer", "Rings.").build()
                }

                fn init(_: &(), context: &mut Context<Percept>) -> Result<Self, Failure> {
                    context.add_entity("ringer", "ringer").map(|_| Self(0))
                }

                fn act(
                    &mut self,
                    _: EntityId,
                    Action::Ring { strokes }: &Action,
                    _: &mut Context<Percept>,
                ) -> Result<(), Failure> {
                    self.0 = self.0.wrapping_add(strokes.0);
                    Ok(())
                }

                fn percepts(&self, _: EntityId, _: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
                    percepts.add(Percept::Rung { strokes: self.0 });
                }
            }
        }
    };
}

bell!(sound, Type::integer(1, 12), |strokes| (1..=12).contains(&strokes));
bell!(deaf, Type::integer(1, 12), |strokes| (1..=6).contains(&strokes));
bell!(credulous, Type::integer(1, 12), |_| true);
bell!(endless, Type::integer(12, 1), |_| false);

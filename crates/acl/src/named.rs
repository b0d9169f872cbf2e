//! Enums whose variants have names.

/// Declares an enum in which each variant has a name, with `ALL`, `name` and `Display`.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $vis:vis enum $Enum:ident {
            $($(#[$about:meta])* $Variant:ident $(= $number:literal)? => $name:literal,)*
        }
    ) => {
        $(#[$attribute])*
        $vis enum $Enum {
            $($(#[$about])* $Variant $(= $number)?,)*
        }

        impl $Enum {
            /// All variants, in order.
            $vis const ALL: [$Enum; [$($name),*].len()] = [$($Enum::$Variant),*];

            /// The name, which is also written by `Display`.
            $vis const fn name(self) -> &'static str {
                match self { $($Enum::$Variant => $name),* }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

//! The commands of the subset that stand for one symbol.

/// How a symbol is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A variable, in italics.
    Letter,
    /// The name of a function, upright, with its argument after it.
    Function,
    /// An operator or a relation, with room around it.
    Operator,
    /// A gap.
    Gap,
}

/// The symbol of a command, without the backslash.
pub(super) fn symbol(command: &str) -> Option<(&'static str, Kind)> {
    let table = LETTERS.iter().map(|&(name, sign)| (name, sign, Kind::Letter));
    let table = table.chain(OPERATORS.iter().map(|&(name, sign)| (name, sign, Kind::Operator)));
    let table = table.chain(FUNCTIONS.iter().map(|&name| (name, name, Kind::Function)));
    let mut table = table.chain(GAPS.iter().map(|&(name, sign)| (name, sign, Kind::Gap)));
    table.find(|(name, ..)| *name == command).map(|(_, sign, kind)| (sign, kind))
}

const LETTERS: [(&str, &str); 40] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("varepsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("upsilon", "υ"),
    ("phi", "φ"),
    ("varphi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Xi", "Ξ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
    ("ell", "ℓ"),
    ("infty", "∞"),
    ("partial", "∂"),
    ("nabla", "∇"),
    ("emptyset", "∅"),
];

const OPERATORS: [(&str, &str); 44] = [
    ("sum", "∑"),
    ("prod", "∏"),
    ("int", "∫"),
    ("le", "≤"),
    ("leq", "≤"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("ll", "≪"),
    ("gg", "≫"),
    ("approx", "≈"),
    ("sim", "∼"),
    ("equiv", "≡"),
    ("propto", "∝"),
    ("in", "∈"),
    ("notin", "∉"),
    ("subset", "⊂"),
    ("subseteq", "⊆"),
    ("cup", "∪"),
    ("cap", "∩"),
    ("to", "→"),
    ("rightarrow", "→"),
    ("leftarrow", "←"),
    ("mapsto", "↦"),
    ("cdot", "·"),
    ("times", "×"),
    ("pm", "±"),
    ("mp", "∓"),
    ("prime", "′"),
    ("mid", "|"),
    ("forall", "∀"),
    ("exists", "∃"),
    ("setminus", "∖"),
    ("top", "⊤"),
    ("dots", "…"),
    ("ldots", "…"),
    ("cdots", "⋯"),
    ("langle", "⟨"),
    ("rangle", "⟩"),
    ("{", "{"),
    ("}", "}"),
    ("|", "‖"),
    ("%", "%"),
];

const FUNCTIONS: [&str; 10] = ["log", "ln", "exp", "max", "min", "sup", "inf", "Pr", "arg", "det"];

const GAPS: [(&str, &str); 5] = [(",", "\u{2009}"), (";", "\u{2005}"), (" ", " "), ("quad", "\u{2003}"), ("!", "")];

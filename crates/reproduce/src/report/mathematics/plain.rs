//! Formulas as one line of Unicode.

use super::formula::Formula;

/// Appends a formula.
pub(super) fn write(words: &mut String, formula: &Formula) {
    match formula {
        Formula::Letter(text) | Formula::Number(text) | Formula::Words(text) | Formula::Unknown(text) => {
            words.push_str(text);
        }
        Formula::Function(name) => words.push_str(name),
        Formula::Operator(sign) => words.push_str(sign),
        Formula::Gap(_) => words.push(' '),
        Formula::Row(parts) => row(words, parts),
        Formula::Fraction(parts) => {
            grouped(words, &parts[0]);
            words.push('/');
            grouped(words, &parts[1]);
        }
        Formula::Root(under) => {
            words.push('√');
            grouped(words, under);
        }
        Formula::Accent(base, sign) => {
            write(words, base);
            words.push(match sign {
                '^' => '\u{302}',
                '~' => '\u{303}',
                _ => '\u{304}',
            });
        }
        Formula::Scripts { base, below, above } => {
            write(words, base);
            below.iter().for_each(|below| script(words, below, '_', LOW));
            above.iter().for_each(|above| script(words, above, '^', HIGH));
        }
    }
}

/// Parts with a space where one reads better: around relations and after functions.
fn row(words: &mut String, parts: &[Formula]) {
    for (place, part) in parts.iter().enumerate() {
        // After another operator, a sign belongs to what follows: (-x).
        let after = |sign: &String| [")", "]", "|", "}", "′"].contains(&sign.as_str());
        let before = place.checked_sub(1).and_then(|before| parts.get(before));
        let binary = before.is_some_and(|before| !matches!(before, Formula::Operator(sign) if !after(sign)));
        let spaced = binary && matches!(part, Formula::Operator(sign) if SPACED.contains(&sign.as_str()));
        if spaced {
            words.push(' ');
        }
        write(words, part);
        let open = matches!(parts.get(place + 1), None | Some(Formula::Operator(_)));
        if spaced || (matches!(part, Formula::Function(_)) && !open) {
            words.push(' ');
        }
    }
}

/// Operators with a space on both sides.
const SPACED: [&str; 20] = ["=", "+", "−", "<", ">", "≤", "≥", "≠", "≈", "∼", "∝", "∈", "→", "·", "×", "±", "≡", "≪", "≫", "∉"];

/// A part, in brackets if it is more than one sign.
fn grouped(words: &mut String, part: &Formula) {
    let mut inner = String::new();
    write(&mut inner, part);
    let short = inner.chars().all(char::is_alphanumeric);
    words.push_str(&if short { inner } else { format!("({inner})") });
}

/// Signs with a low and with a high form.
const LOW: (&str, &str) = ("0123456789+−=(),aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎,ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ");
const HIGH: (&str, &str) = ("0123456789+−=()′ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾′ⁿⁱ");

/// A script: by low or high signs if there are such, otherwise after `_` or `^`.
fn script(words: &mut String, part: &Formula, sign: char, (plain, raised): (&str, &str)) {
    let mut inner = String::new();
    write(&mut inner, part);
    let raise = |letter: char| plain.chars().zip(raised.chars()).find(|pair| pair.0 == letter).map(|pair| pair.1);
    let raised: Option<String> = inner.chars().filter(|letter| *letter != ' ').map(raise).collect();
    match raised {
        Some(raised) => words.push_str(&raised),
        None => {
            words.push(sign);
            grouped(words, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latex: &str) -> String {
        let mut words = String::new();
        write(&mut words, &Formula::read(latex));
        words
    }

    #[test]
    fn formulas_are_readable() {
        for (latex, expected) in [
            (r"\beta_{4,3}(s_2)", "β₄,₃(s₂)"),
            (r"p_t(s,a,s')", "pₜ(s,a,s′)"),
            (r"s^\prime", "s′"),
            (r"e^{R(s)}", "e^(R(s))"),
            (r"\frac{a+b}{Z}", "(a + b)/Z"),
            (r"\log Z(\theta)", "log Z(θ)"),
            (r"\gamma = 0.999", "γ = 0.999"),
            (r"10^{-9}", "10⁻⁹"),
            (r"\theta \le 0", "θ ≤ 0"),
            (r"|S|^2|A|", "|S|²|A|"),
            (r"\exp(-x)", "exp(−x)"),
            (r"x_{\theta}", "x_θ"),
        ] {
            assert_eq!(of(latex), expected, "{latex}");
        }
    }
}

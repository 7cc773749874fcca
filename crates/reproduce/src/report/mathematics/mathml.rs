//! Formulas as MathML.

use super::formula::Formula;

/// Appends text with the special characters of HTML escaped.
pub(super) fn escape(html: &mut String, words: &str) {
    for letter in words.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#x27;"),
            '/' => html.push_str("&#x2f;"),
            other => html.push(other),
        }
    }
}

/// Appends a formula as a `math` element.
pub(super) fn write(html: &mut String, formula: &Formula) {
    html.push_str("<math>");
    match formula {
        // A `math` element is a row itself.
        Formula::Row(parts) => row(html, parts),
        other => part(html, other),
    }
    html.push_str("</math>");
}

fn row(html: &mut String, parts: &[Formula]) {
    for (place, one) in parts.iter().enumerate() {
        part(html, one);
        // A small gap between the name of a function and an argument without brackets.
        let argument = parts.get(place + 1);
        let open = |next: &Formula| matches!(next, Formula::Operator(sign) if sign == "(" || sign == ")" || sign == "{");
        if is_function(one) && argument.is_some_and(|next| !open(next)) {
            html.push_str("<mspace width=\"0.17em\"></mspace>");
        }
    }
}

fn is_function(formula: &Formula) -> bool {
    match formula {
        Formula::Function(_) => true,
        Formula::Scripts { base, .. } => is_function(base),
        _ => false,
    }
}

fn part(html: &mut String, formula: &Formula) {
    match formula {
        Formula::Letter(letter) => element(html, "mi", letter),
        Formula::Function(name) => element(html, "mi", name),
        Formula::Number(number) => element(html, "mn", number),
        Formula::Operator(sign) => operator(html, sign),
        Formula::Gap(gap) => element(html, "mtext", gap),
        Formula::Words(words) | Formula::Unknown(words) => element(html, "mtext", words),
        Formula::Row(parts) => {
            html.push_str("<mrow>");
            row(html, parts);
            html.push_str("</mrow>");
        }
        Formula::Fraction(parts) => around(html, "mfrac", &[&parts[0], &parts[1]]),
        Formula::Root(under) => around(html, "msqrt", &[under]),
        Formula::Accent(base, sign) => {
            html.push_str("<mover accent=\"true\">");
            part(html, base);
            element(html, "mo", &sign.to_string());
            html.push_str("</mover>");
        }
        Formula::Scripts { base, below, above } => match (below, above) {
            (Some(below), Some(above)) => around(html, "msubsup", &[base, below, above]),
            (Some(below), None) => around(html, "msub", &[base, below]),
            (None, Some(above)) => around(html, "msup", &[base, above]),
            (None, None) => part(html, base),
        },
    }
}

/// An operator. Brackets keep the size of the text, a bar is no bracket, and a slash has no room around it.
fn operator(html: &mut String, sign: &str) {
    match sign {
        "(" | ")" | "[" | "]" | "{" | "}" | "⟨" | "⟩" => {
            html.push_str("<mo stretchy=\"false\">");
            escape(html, sign);
            html.push_str("</mo>");
        }
        "|" | "‖" => {
            html.push_str("<mo stretchy=\"false\" lspace=\"0.1em\" rspace=\"0.1em\">");
            escape(html, sign);
            html.push_str("</mo>");
        }
        "/" => html.push_str("<mo lspace=\"0\" rspace=\"0\">/</mo>"),
        _ => element(html, "mo", sign),
    }
}

fn element(html: &mut String, name: &str, words: &str) {
    html.push_str(&format!("<{name}>"));
    escape(html, words);
    html.push_str(&format!("</{name}>"));
}

fn around(html: &mut String, name: &str, parts: &[&Formula]) {
    html.push_str(&format!("<{name}>"));
    parts.iter().for_each(|one| part(html, one));
    html.push_str(&format!("</{name}>"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latex: &str) -> String {
        let mut html = String::new();
        write(&mut html, &Formula::read(latex));
        html
    }

    #[test]
    fn formulas_of_the_paper() {
        let expected = "<math><msub><mi>β</mi><mrow><mn>4</mn><mo>,</mo><mn>3</mn></mrow></msub>\
                        <mo stretchy=\"false\">(</mo><msub><mi>s</mi><mn>2</mn></msub><mo stretchy=\"false\">)</mo></math>";
        assert_eq!(of(r"\beta_{4,3}(s_2)"), expected);
        assert_eq!(of("β_{4,3}(s_2)"), expected);
        assert_eq!(of(r"\frac{a}{2.5}"), "<math><mfrac><mi>a</mi><mn>2.5</mn></mfrac></math>");
        assert_eq!(of(r"s' < 1"), "<math><msup><mi>s</mi><mo>′</mo></msup><mo>&lt;</mo><mn>1</mn></math>");
        let log = "<math><mi>log</mi><mspace width=\"0.17em\"></mspace><mi>Z</mi></math>";
        assert_eq!(of(r"\log Z"), log);
        assert_eq!(of(r"\exp(-x)").matches("mspace").count(), 0);
        assert_eq!(of(r"x_t^2"), "<math><msubsup><mi>x</mi><mi>t</mi><mn>2</mn></msubsup></math>");
        assert_eq!(of("1/n"), "<math><mn>1</mn><mo lspace=\"0\" rspace=\"0\">/</mo><mi>n</mi></math>");
        assert_eq!(of(r"\wobble"), "<math><mtext>\\wobble</mtext></math>");
    }
}

//! The document. Whatever comes from files is text in it, never markup.

use serde_json::Value;

use crate::assets::{ENGINE, SCRIPT, STYLE, stamps};
use crate::base64::base64;

/// A page with this title that shows `data`; with the engine if it is to be alive.
pub(crate) fn document(title: &str, data: &Value, is_alive: bool) -> String {
    let stamps = stamps();
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}' 'wasm-unsafe-eval'; style-src 'sha256-{}'; img-src data: blob:; \
         base-uri 'none'; form-action 'none'",
        stamps.script, stamps.style
    );
    let engine = if is_alive { base64(ENGINE) } else { String::new() };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n\
         <main id=\"page\"><noscript><p>This page draws itself with a script, which this browser does not run.</p></noscript></main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script type=\"text/plain\" id=\"engine\">{engine}</script>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n",
        title = text(title),
        data = in_script(data),
    )
}

/// Text in a document.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON in an element `script`, which ends at the first `</script`.
fn in_script(data: &Value) -> String {
    // Outside of its texts, JSON has none of these characters.
    data.to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_do_not_become_markup() {
        let name = "</script><img src=x onerror=alert(1)><!--";
        let data = json!({ "names": [name] });
        let page = document(name, &data, false);
        assert!(!page.contains("<img") && !page.contains("<!--"));
        assert_eq!(page.matches("</script>").count(), 3);
        let begin = page.find("id=\"data\">").unwrap() + 10;
        let end = begin + page[begin..].find("</script>").unwrap();
        let read: Value = serde_json::from_str(&page[begin..end]).unwrap();
        assert_eq!(read, data);
    }
}

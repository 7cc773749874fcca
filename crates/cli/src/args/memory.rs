//! `--memory`: how much memory the working arrays may take.

/// The maximum of the default.
const MOST: usize = revealed::DEFAULT_MEMORY;

/// A quarter of what the machine has free, at most 2 GB; 2 GB if the free memory is not known.
pub fn default() -> usize {
    let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()
    });
    free.map_or(MOST, |kilobytes| (kilobytes * 1024 / 4).min(MOST))
}

/// A number of bytes, or one with K, M or G behind it (thousands, millions, thousand millions).
pub fn parse(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1e3),
        Some((at, 'm' | 'M')) => (&text[..at], 1e6),
        Some((at, 'g' | 'G')) => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    match number.parse::<f64>() {
        Ok(value) if value > 0.0 && value * unit < 1e18 => Ok((value * unit) as usize),
        _ => Err(format!("{text} is not a size: write it like 250M or 2G")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse("250M"), Ok(250_000_000));
        assert_eq!(parse("1.5g"), Ok(1_500_000_000));
        assert_eq!(parse("4096"), Ok(4096));
        for bad in ["", "M", "-1G", "nan", "inf", "1T", "1e30"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_default_is_at_most_two_gigabytes() {
        assert!((1..=MOST).contains(&default()));
    }
}

//! Colour scales, computed in Oklab (Ottosson 2020), where equal steps of lightness look equal.
//!
//! Lightness alone orders the sequential scale, so it reads the same with any kind of colour vision and in grey.

use crate::canvas::Colour;

/// Roads without a value, and roads that are drawn for orientation only.
pub(crate) const BASE: Colour = Colour::hex(0xD9D9D9);

/// From light yellow (0) over green and blue to dark violet (1).
pub(crate) fn sequential(part: f64) -> Colour {
    let part = unit(part);
    in_bytes(oklch(0.85 - 0.54 * part, 0.14, 98.0 + 202.0 * part))
}

/// From vermilion (-1) over grey (0) to blue (1). Both ends are equally dark, and darker than the middle.
pub(crate) fn diverging(part: f64) -> Colour {
    let part = if part.is_finite() { part.clamp(-1.0, 1.0) } else { 0.0 };
    let hue = if part < 0.0 { 48.0 } else { 255.0 };
    in_bytes(oklch(0.78 - 0.25 * part.abs(), 0.17 * part.abs().sqrt(), hue))
}

fn unit(part: f64) -> f64 {
    if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
}

/// Lightness, chroma and hue in degrees as red, green and blue within [0, 1]. A chroma that no screen can show is
/// reduced.
fn oklch(lightness: f64, chroma: f64, hue: f64) -> [f64; 3] {
    let (sin, cos) = hue.to_radians().sin_cos();
    let mut chroma = chroma;
    loop {
        let rgb = oklab(lightness, chroma * cos, chroma * sin);
        if chroma < 0.002 || rgb.iter().all(|channel| (-1e-9..=1.0 + 1e-9).contains(channel)) {
            return rgb.map(unit);
        }
        chroma *= 0.97;
    }
}

fn oklab(lightness: f64, a: f64, b: f64) -> [f64; 3] {
    let cube = |u: f64, v: f64| (lightness + u * a + v * b).powi(3);
    let l = cube(0.396_337_777_4, 0.215_803_757_3);
    let m = cube(-0.105_561_345_8, -0.063_854_172_8);
    let s = cube(-0.089_484_177_5, -1.291_485_548_0);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
    .map(|linear| if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 })
}

fn in_bytes(rgb: [f64; 3]) -> Colour {
    Colour { rgb: rgb.map(|channel| (255.0 * channel).round() as u8) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How light a colour is to the eye: CIE L*, from 0 to 100.
    fn lightness(colour: Colour) -> f64 {
        let [r, g, b] = colour.rgb.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        if y > 0.008_856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
    }

    #[test]
    fn known_colours() {
        assert_eq!([1.0, 0.0].map(|grey| in_bytes(oklab(grey, 0.0, 0.0))), [0xFFFFFF, 0x000000].map(Colour::hex));
        // Pure red in Oklab.
        assert_eq!(in_bytes(oklab(0.627_955, 0.224_863, 0.125_846)), Colour::hex(0xFF0000));
    }

    #[test]
    fn the_sequential_scale_darkens_evenly() {
        let shades: Vec<f64> = (0..=12).map(|k| lightness(sequential(f64::from(k) / 12.0))).collect();
        let steps: Vec<f64> = shades.windows(2).map(|pair| pair[0] - pair[1]).collect();
        let mean = (shades[0] - shades[12]) / 12.0;
        assert!(mean > 4.0 && steps.iter().all(|step| (step / mean - 1.0).abs() < 0.4), "{steps:?}");
    }

    #[test]
    fn the_ends_of_the_diverging_scale_are_as_strong_as_each_other() {
        let [less, none, more] = [-1.0, 0.0, 1.0].map(|part| lightness(diverging(part)));
        assert!((less - more).abs() < 6.0 && none > less.max(more) + 15.0, "{less} {none} {more}");
        assert_eq!((diverging(f64::NAN), sequential(f64::NAN)), (diverging(0.0), sequential(0.0)));
    }
}

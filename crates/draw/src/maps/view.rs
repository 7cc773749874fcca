//! The part of the plane that a map shows, and the frame on the sheet that it is shown in.

use crate::canvas::Point;

/// Metres to the east and to the north.
pub(super) type Metres = [f64; 2];

/// A box on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    low: Metres,
    high: Metres,
}

/// A frame on the sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

/// A frame with the ground that it shows. North is up.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub frame: Frame,
    /// Units of the sheet for a metre.
    pub scale: f64,
    middle: Metres,
}

impl Bounds {
    /// The box around these places. Places that are not finite do not count. `None` if no place counts.
    pub fn around(places: impl Iterator<Item = Metres>) -> Option<Bounds> {
        places.filter(|place| place.iter().all(|value| value.is_finite())).fold(None, |bounds, place| {
            let Bounds { low, high } = bounds.unwrap_or(Bounds { low: place, high: place });
            let pick = |pick: fn(f64, f64) -> f64, with: Metres| [pick(with[0], place[0]), pick(with[1], place[1])];
            Some(Bounds { low: pick(f64::min, low), high: pick(f64::max, high) })
        })
    }

    /// With a margin: a share of the larger side, and at least this many metres.
    pub fn grown(self, share: f64, least: f64) -> Bounds {
        let margin = (share * (self.high[0] - self.low[0]).max(self.high[1] - self.low[1])).max(least);
        Bounds { low: self.low.map(|value| value - margin), high: self.high.map(|value| value + margin) }
    }

    pub fn middle(&self) -> Metres {
        [0, 1].map(|axis| (self.low[axis] + self.high[axis]) / 2.0)
    }

    pub fn corners(&self) -> [Metres; 2] {
        [self.low, self.high]
    }

    pub fn has(&self, place: Metres) -> bool {
        (0..2).all(|axis| (self.low[axis]..=self.high[axis]).contains(&place[axis]))
    }

    /// Whether the box around a line overlaps this one.
    pub fn meets(&self, a: Metres, b: Metres) -> bool {
        (0..2).all(|axis| a[axis].max(b[axis]) >= self.low[axis] && a[axis].min(b[axis]) <= self.high[axis])
    }

    /// The height of a frame of this width, within limits that leave room for text beside.
    pub fn height(&self, width: f64, least: f64, most: f64) -> f64 {
        let [across, up] = [0, 1].map(|axis| (self.high[axis] - self.low[axis]).max(1.0));
        width * (up / across).clamp(least, most)
    }
}

impl Frame {
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The parts of a line that are at least `inside` from the edge.
    pub fn clip(&self, line: &[Point], inside: f64) -> Vec<Vec<Point>> {
        let mut parts: Vec<Vec<Point>> = Vec::new();
        for ends in line.windows(2) {
            let Some((from, to)) = self.clip_piece(ends[0], ends[1], inside) else { continue };
            match parts.last_mut() {
                Some(part) if part.last() == Some(&from) => part.push(to),
                _ => parts.push(vec![from, to]),
            }
        }
        parts
    }

    /// The part of a straight line that is inside (Liang and Barsky).
    fn clip_piece(&self, a: Point, b: Point, inside: f64) -> Option<(Point, Point)> {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        if !(dx.is_finite() && dy.is_finite()) {
            return None;
        }
        let edges = [
            (-dx, a.0 - self.left - inside),
            (dx, self.right() - inside - a.0),
            (-dy, a.1 - self.top - inside),
            (dy, self.bottom() - inside - a.1),
        ];
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for (towards, room) in edges {
            if towards == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if towards < 0.0 {
                enter = enter.max(room / towards);
            } else {
                leave = leave.min(room / towards);
            }
        }
        let at = |share: f64| (a.0 + share * dx, a.1 + share * dy);
        // Ends that are inside keep their bits: lines are joined by them.
        let (from, to) = (if enter > 0.0 { at(enter) } else { a }, if leave < 1.0 { at(leave) } else { b });
        (enter < leave).then_some((from, to))
    }
}

impl View {
    /// All of the bounds, in the middle of the frame.
    pub fn fit(bounds: Bounds, frame: Frame) -> View {
        let [across, up] = [0, 1].map(|axis| (bounds.high[axis] - bounds.low[axis]).max(1.0));
        View { frame, scale: (frame.width / across).min(frame.height / up), middle: bounds.middle() }
    }

    pub fn place(&self, [east, north]: Metres) -> Point {
        let Frame { left, top, width, height } = self.frame;
        (left + width / 2.0 + self.scale * (east - self.middle[0]), top + height / 2.0 - self.scale * (north - self.middle[1]))
    }

    /// The ground that the frame shows.
    pub fn bounds(&self) -> Bounds {
        let half = [self.frame.width, self.frame.height].map(|side| side / 2.0 / self.scale);
        Bounds {
            low: [self.middle[0] - half[0], self.middle[1] - half[1]],
            high: [self.middle[0] + half[0], self.middle[1] + half[1]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { left: 10.0, top: 20.0, width: 100.0, height: 50.0 };

    #[test]
    fn north_is_up_and_the_shape_is_kept() {
        let bounds = Bounds::around([[0.0, 0.0], [1000.0, 1000.0], [f64::NAN, 0.0]].into_iter()).unwrap();
        let view = View::fit(bounds, FRAME);
        assert_eq!(view.place([500.0, 500.0]), (60.0, 45.0));
        assert_eq!((view.place([500.0, 1000.0]), view.place([1000.0, 500.0])), ((60.0, 20.0), (85.0, 45.0)));
        assert!(view.bounds().has([-400.0, 10.0]) && !view.bounds().has([-600.0, 10.0]));
        assert!(view.bounds().meets([-900.0, 10.0], [0.0, 20.0]) && !view.bounds().meets([0.0, 1100.0], [9.0, 1200.0]));
        assert_eq!(Bounds::around([[f64::NAN, 0.0]].into_iter()), None);
    }

    #[test]
    fn lines_end_at_the_frame() {
        let line = [(0.0, 30.0), (60.0, 30.0), (60.0, 90.0), (200.0, 90.0), (100.0, 40.0), (100.0, 60.0)];
        let parts = FRAME.clip(&line, 0.0);
        assert_eq!(parts, [vec![(10.0, 30.0), (60.0, 30.0), (60.0, 70.0)], vec![(110.0, 45.0), (100.0, 40.0), (100.0, 60.0)]]);
        assert_eq!(FRAME.clip(&line[..2], 2.0), [vec![(12.0, 30.0), (60.0, 30.0)]]);
        assert!(FRAME.clip(&[(0.0, 0.0), (200.0, 10.0)], 0.0).is_empty());
        assert!(FRAME.clip(&[(0.0, 0.0), (f64::NAN, 30.0)], 0.0).iter().flatten().all(|point| point.0.is_finite()));
    }
}

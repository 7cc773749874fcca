//! Which messages to keep when memory is short.

/// How to go upwards through `len` messages that are computed downwards, with limited room: keep the first
/// of each stride as a checkpoint, and compute a stride again from the checkpoint behind it when it is its turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CheckpointPlan {
    /// Messages from one checkpoint to the next.
    pub stride: usize,
    /// How many are kept on the way.
    pub checkpoints: usize,
    /// Whether a whole stride fits beside the checkpoints; if not, strides are divided further.
    pub fits: bool,
}

impl CheckpointPlan {
    pub fn new(len: usize, room: usize) -> CheckpointPlan {
        let with = |checkpoints: usize| {
            let stride = len.div_ceil(checkpoints + 1);
            CheckpointPlan { stride, checkpoints, fits: stride + checkpoints <= room }
        };
        let fitting = (0..room).map(with).find(|plan| plan.fits);
        let divided = || if room < 2 { CheckpointPlan { stride: len, checkpoints: 0, fits: false } } else { with(room / 2) };
        fitting.unwrap_or_else(divided)
    }

    /// Whether there is no room at all, so that each message is computed from the end of the segment.
    pub fn keeps_nothing(self) -> bool {
        self.checkpoints == 0 && !self.fits
    }
}

/// Messages that have to fit at the least: with fewer, the time would grow with the square of the horizon.
pub(crate) fn least_room(horizon: usize) -> usize {
    1 + horizon.ilog2() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_if_they_fit_then_a_few_checkpoints_then_many() {
        assert_eq!(CheckpointPlan::new(400, 400), CheckpointPlan { stride: 400, checkpoints: 0, fits: true });
        assert_eq!(CheckpointPlan::new(400, 399), CheckpointPlan { stride: 200, checkpoints: 1, fits: true });
        let plan = CheckpointPlan::new(400, 40);
        assert!(plan.fits && plan.stride + plan.checkpoints <= 40 && plan.stride * (plan.checkpoints + 1) >= 400, "{plan:?}");
        assert!(!CheckpointPlan::new(400, 10).fits && CheckpointPlan::new(400, 1).keeps_nothing());
    }
}

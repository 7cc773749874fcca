//! Checkpoints: which messages to store when memory is limited.

/// How to read `len` messages upwards that are computed downwards, with limited memory. The first message of each
/// stride is stored as a checkpoint. The other messages of a stride are computed again from the next checkpoint when
/// they are needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CheckpointPlan {
    /// Messages from one checkpoint to the next.
    pub stride: usize,
    /// How many checkpoints are stored.
    pub checkpoints: usize,
    /// Whether a whole stride fits into memory beside the checkpoints. If not, strides are divided further.
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

    /// Whether nothing can be stored, so that each message is computed from the end of the segment.
    pub fn keeps_nothing(self) -> bool {
        self.checkpoints == 0 && !self.fits
    }
}

/// The least number of messages that must fit. With fewer, the time would grow with the square of the horizon.
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

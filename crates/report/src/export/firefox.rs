//! Firefox's processed profile: a thread for each lane, with samples of one microsecond.

use std::io::Write;
use std::time::Duration;

use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile, ReferenceTimestamp, SamplingInterval,
    Timestamp,
};

use crate::export::stacks;
use crate::facts::{Facts, ReportError};

pub(super) fn write(facts: &Facts<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    // Records have no creation time, so the epoch is fixed and a record always gives the same file.
    let epoch = ReferenceTimestamp::from_duration_since_unix_epoch(Duration::ZERO);
    let product = format!("batt {}", facts.record.setup.version);
    let mut profile = Profile::new(&product, epoch, SamplingInterval::from_nanos(1_000));
    let start = Timestamp::from_nanos_since_reference(0);
    let process = profile.add_process(&facts.record.setup.data.name, 1, start);
    for number in 0..facts.profile.lanes.len() {
        let thread = profile.add_thread(process, number as u32 + 1, start, number == 0);
        profile.set_thread_name(thread, &facts.lane_name(number));
        let mut now = 0u64;
        for (stack, ns) in stacks::of_lane(facts, number) {
            let mut frames = Vec::with_capacity(stack.len());
            for name in &stack {
                let frame = Frame::Label(profile.intern_string(name));
                frames.push(FrameInfo {
                    frame,
                    category_pair: CategoryHandle::OTHER.into(),
                    flags: FrameFlags::empty(),
                });
            }
            let stack = profile.intern_stack_frames(thread, frames.into_iter());
            // Rounded at both ends, so that the parts add up to the whole.
            let weight = (now + ns) / 1_000 - now / 1_000;
            now += ns;
            let at = Timestamp::from_nanos_since_reference(now);
            let weight = i32::try_from(weight).unwrap_or(i32::MAX);
            profile.add_sample(thread, at, stack, CpuDelta::from_nanos(ns), weight);
        }
        profile.set_thread_end_time(thread, Timestamp::from_nanos_since_reference(now));
    }
    Ok(serde_json::to_writer(out, &profile).map_err(std::io::Error::from)?)
}

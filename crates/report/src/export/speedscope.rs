//! speedscope's file format: for each lane its stacks with their times.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value, json};

use crate::export::stacks;
use crate::facts::{Facts, ReportError};

pub(super) fn write(facts: &Facts<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut frames: BTreeMap<String, usize> = BTreeMap::new();
    let mut names: Vec<Value> = Vec::new();
    let mut profiles = Vec::new();
    for number in 0..facts.profile.lanes.len() {
        let (mut samples, mut weights) = (Vec::new(), Vec::new());
        for (stack, ns) in stacks::of_lane(facts, number) {
            let sample: Vec<usize> = stack
                .into_iter()
                .map(|name| {
                    *frames.entry(name.clone()).or_insert_with(|| {
                        names.push(json!({ "name": name }));
                        names.len() - 1
                    })
                })
                .collect();
            samples.push(sample);
            weights.push(ns);
        }
        profiles.push(json!({
            "type": "sampled",
            "name": facts.lane_name(number),
            "unit": "nanoseconds",
            "startValue": 0,
            "endValue": weights.iter().sum::<u64>(),
            "samples": samples,
            "weights": weights,
        }));
    }
    let file = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": facts.record.setup.data.name,
        "exporter": format!("batt {}", facts.record.setup.version),
        "activeProfileIndex": 0,
        "shared": { "frames": names },
        "profiles": profiles,
    });
    Ok(serde_json::to_writer(out, &file).map_err(std::io::Error::from)?)
}

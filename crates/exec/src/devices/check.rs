//! Compares answers of devices with the CPU.

use batt_device::Answer;
use batt_dsl::Cx;
use batt_dsl::template::Template;
use batt_value::{Arena, Value, fingerprint};

/// Computes a job on the CPU and compares the answer of a device with it. `fill` are the values in the holes `x`, `y`,
/// `I` and `W`. Returns a description of the operation if the answer is wrong.
pub fn contradiction<'a: 's, 's>(
    answer: &Answer<'_>,
    template: &Template<'a>,
    fill: [Value<'s>; 4],
    arena: &'s Arena,
) -> Option<String> {
    let mut cx = Cx::new(arena, u64::MAX, None);
    let expected = template.run(&mut cx, |hole| fill[hole as usize]).map(fingerprint);
    let given = answer.fingerprint(arena, fill[0]);
    let made = answer.value(arena, fill[0]).map(fingerprint);
    let is_right = expected.is_ok() && given == expected && made == expected && answer.bill == cx.used();
    (!is_right).then(|| {
        let last = || template.calls().last().map_or("an operation", |call| call.function.name);
        let text = Some(template.text()).filter(|text| !text.is_empty());
        format!("a wrong value of {}", text.unwrap_or_else(last))
    })
}

//! Joining profiles.

use batt_record::profile::{Booked, Costs, Lane, Machine, Profile, Repeat, Task};
use batt_record::{Device, Record};
use batt_trace::Spot;

use super::parts::Parts;

/// Joins the profiles of shards. Each shard is a machine, and all start at time 0. The first lane is that of a process
/// which waits until the last shard ends. Returns `None` if a shard has no profile, or if the profiles do not fit together.
pub(super) fn join(parts: &Parts<Record>, warnings: &mut Vec<String>) -> Option<Box<Profile>> {
    let profiles: Vec<&Profile> =
        parts.list.iter().filter_map(|part| part.document.profile.as_deref()).collect();
    let first = *profiles.first()?;
    if profiles.len() < parts.list.len() {
        warnings.push("the record has no profile, because not all shards have one".to_owned());
        return None;
    }
    let fit = |other: &&Profile| {
        (&other.functions, &other.nodes, &other.lines, other.deep)
            == (&first.functions, &first.nodes, &first.lines, first.deep)
    };
    let waiting = first.functions.iter().position(|it| it.name == Spot::IDLE.info().name);
    let (Some(waiting), true) = (waiting, profiles.iter().all(fit)) else {
        let why = "because the shards were recorded with different versions or levels of detail";
        warnings.push(format!("the record has no profile, {why}"));
        return None;
    };
    let end = profiles.iter().flat_map(|it| &it.lanes).map(|lane| lane.end).max().unwrap_or(0);
    let waiting: Booked = (waiting as u32, end, 0);
    let mut lanes = vec![Lane {
        name: "main".to_owned(),
        machine: None,
        device: None,
        start: 0,
        end,
        between: vec![waiting],
        primitives: Vec::new(),
        waits: vec![(0, end)],
        stamps: 0,
        counted: 0,
        cpu: None,
        queued: None,
        preemptions: None,
    }];
    let mut tasks: Vec<Task> = Vec::new();
    let mut machines: Vec<Machine> = Vec::new();
    let mut devices: Vec<Device> = Vec::new();
    for (part, profile) in parts.list.iter().zip(&profiles) {
        let offset = lanes.len() as u32;
        tasks.extend(profile.tasks.iter().map(|task| Task { lane: offset + task.lane, ..task.clone() }));
        // A shard that ran on a cluster is followed by the machines of its cluster.
        let shard = machines.len() as u32;
        let machine = |lane: &Lane| Some(shard + lane.machine.map_or(0, |machine| machine + 1));
        let earlier = devices.len() as u32;
        lanes.extend(profile.lanes.iter().map(|lane| Lane {
            machine: machine(lane),
            device: lane.device.map(|device| earlier + device),
            ..lane.clone()
        }));
        let name = format!("shard {} of {}", part.shard.index, part.shard.of);
        machines.push(Machine {
            name: name.clone(),
            cores: part.document.environment.threads,
            clock_offset: 0,
            round_trip: None,
            stayed: part.document.finished,
        });
        let named = |it: &Machine| Machine { name: format!("{name}, {}", it.name), ..it.clone() };
        machines.extend(profile.machines.iter().map(named));
        let named = |it: &Device| Device { name: format!("{name}, {}", it.name), ..it.clone() };
        devices.extend(profile.devices.iter().map(named));
    }
    tasks.sort_by_key(|task| (task.start, task.lane));
    let cost = |cost: fn(&Costs) -> f64| profiles.iter().map(|it| cost(&it.costs)).fold(0.0, f64::max);
    Some(Box::new(Profile {
        costs: Costs { stamp: cost(|it| it.stamp), call: cost(|it| it.call) },
        excused: profiles.iter().map(|it| it.excused).sum(),
        machines,
        devices,
        lanes,
        tasks,
        repeats: repeats(&profiles, waiting),
        events: None,
        ..first.clone()
    }))
}

/// Joins the repetitions. If shards differ in their number, the last ones count, which the profile describes.
fn repeats(profiles: &[&Profile], waiting: Booked) -> Vec<Repeat> {
    let n = profiles.iter().map(|it| it.repeats.len()).min().unwrap_or(0);
    let mut joined = Vec::new();
    for from_end in (1..=n).rev() {
        let all = || profiles.iter().map(|it| &it.repeats[it.repeats.len() - from_end]);
        let longest = all().map(|it| it.wall).max().unwrap_or(0);
        let wall = if from_end == 1 { waiting.1 } else { longest };
        let mut functions = vec![(waiting.0, wall, 0)];
        for (function, ns, fuel) in all().flat_map(|it| &it.functions) {
            match functions.iter_mut().find(|it| it.0 == *function) {
                Some(sum) => *sum = (sum.0, sum.1 + ns, sum.2 + fuel),
                None => functions.push((*function, *ns, *fuel)),
            }
        }
        functions.sort_unstable_by_key(|it| it.0);
        let disturbed = all().map(|it| it.disturbed).sum();
        joined.push(Repeat { wall, functions, disturbed });
    }
    joined
}

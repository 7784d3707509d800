//! The start of a driver, and the account of its work.

use std::fs;

use batt_lang::Program;
use batt_record::{self as record, Profile, Record};
use batt_trace::{Spot, Trace};

use super::Driver;
use crate::cluster::piece::{Package, PackageWork};
use crate::cluster::timeline::Timeline;
use crate::cluster::{Cluster, MachineInfo};
use crate::control::Control;
use crate::description::{Job, Profiling};
use crate::error::JobError;
use crate::pool::Pool;

/// A cluster, and the parts of this process that drive it.
pub(crate) struct Driven<'d> {
    pub(crate) cluster: &'d dyn Cluster,
    pub(crate) control: &'d Control,
    pub(crate) pool: &'d Pool,
    pub(crate) trace: Option<&'d Trace>,
}

impl<'d> Driven<'d> {
    /// Sends the programs and options of a job to all machines.
    pub(crate) fn start(
        &self,
        job: &Job,
        programs: &[Program],
        work: PackageWork,
    ) -> Result<Driver<'d>, JobError> {
        let _span = self.trace.map(|trace| trace.enter(Spot::START));
        let aliases = job.aliases.as_deref().map(|path| {
            fs::read_to_string(path).map_err(|error| JobError::Read { path: path.to_owned(), error })
        });
        let profile = if self.trace.is_some() { job.save.level() } else { Profiling::Off };
        let package = Package::new(programs, aliases.transpose()?, profile, work);
        Driver::new(self, &package)
    }
}

/// The work that a cluster did.
pub(crate) struct Used {
    account: record::Cluster,
    timeline: Timeline,
    machines: Vec<(String, MachineInfo, bool)>,
}

impl Used {
    /// Adds the account and the times of the machines to the record.
    pub(crate) fn add_to(self, record: &mut Record) {
        record.environment.cluster = Some(self.account());
        if let Some(profile) = &mut record.profile {
            self.add_times(profile);
        }
    }

    pub(crate) fn account(&self) -> record::Cluster {
        self.account.clone()
    }

    /// Adds the times of the machines to a profile.
    pub(crate) fn add_times(self, profile: &mut Profile) {
        self.timeline.add_to(profile, &self.machines);
    }
}

impl Driver<'_> {
    /// Ends the work and returns the account of it, with the times of all machines.
    pub(crate) fn finish(self) -> Used {
        if !self.batches.is_empty() {
            self.cluster.stop();
        }
        let mut machines: Vec<_> = self.machines.into_iter().collect();
        machines.sort_by(|(_, a), (_, b)| a.info.name.cmp(&b.info.name));
        let account = record::Cluster {
            pieces: self.n_pieces,
            executions: self.n_executions,
            machines: machines
                .iter()
                .map(|(_, machine)| record::ClusterMachine {
                    name: machine.info.name.clone(),
                    cores: machine.info.cores,
                    pieces: machine.pieces,
                    stayed: machine.healthy,
                })
                .collect(),
        };
        let infos = machines.into_iter().map(|(id, machine)| (id, machine.info, machine.healthy)).collect();
        Used { account, timeline: self.timeline, machines: infos }
    }
}

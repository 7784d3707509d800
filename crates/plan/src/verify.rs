//! Checks the invariants of plans. Debug builds run it after each merge.

use crate::plan::{Needs, NodeId, Plan};

impl Plan {
    /// Returns an error that describes the first broken invariant.
    pub fn verify(&self) -> Result<(), String> {
        for (i, node) in self.nodes.iter().enumerate() {
            if let Some(arg) = node.args.iter().find(|arg| arg.index() >= i) {
                return Err(format!("%{i} uses %{} before it is defined", arg.0));
            }
            let needs = node.args.iter().map(|arg| self.node(*arg).needs).max().unwrap_or(Needs::Nothing);
            let leaf = matches!(node.op, batt_lang::Op::Input | batt_lang::Op::Samples);
            if !leaf && node.needs != needs {
                return Err(format!(
                    "%{i} is marked as needing {:?}, but its arguments need {needs:?}",
                    node.needs
                ));
            }
        }
        let mut known = std::collections::BTreeSet::new();
        for (i, node) in self.nodes.iter().enumerate() {
            if !known.insert(format!("{:?} {:?}", node.op, node.args)) {
                return Err(format!("%{i} repeats an earlier node"));
            }
        }
        for entry in &self.entries {
            let mut defined = std::collections::BTreeSet::new();
            if entry.nodes.is_empty() {
                return Err(format!("{} has no result", entry.name));
            }
            for id in &entry.nodes {
                self.verify_use(&entry.name, *id, &defined)?;
                defined.insert(*id);
            }
        }
        Ok(())
    }

    fn verify_use(
        &self,
        program: &str,
        id: NodeId,
        defined: &std::collections::BTreeSet<NodeId>,
    ) -> Result<(), String> {
        let node = self
            .nodes
            .get(id.index())
            .ok_or_else(|| format!("{program} needs %{}, which does not exist", id.0))?;
        match node.args.iter().find(|arg| !defined.contains(arg)) {
            Some(arg) => Err(format!("{program} needs %{} before %{}", id.0, arg.0)),
            None if defined.contains(&id) => Err(format!("{program} lists %{} twice", id.0)),
            None => Ok(()),
        }
    }
}

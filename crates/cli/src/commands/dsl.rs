//! `batt dsl`

use std::io::Write;

use anyhow::bail;
use arcbatt::base::number;
use arcbatt::dsl::{Primitive, registry};
use arcbatt::lang::suggest;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Answer, output};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List the primitives by family
    #[command(after_help = "Example:\n  batt dsl list --family geometry")]
    List {
        /// List only this family
        #[arg(long, value_name = "NAME")]
        family: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the manual entry of a primitive
    #[command(after_help = "Example:\n  batt dsl show objects")]
    Show {
        /// Name or alias of the primitive
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(command: &Command) -> Answer {
    match command {
        Command::List { family, json } => list(family.as_deref(), *json),
        Command::Show { name, json } => show(name, *json),
    }
}

/// The primitives of the DSL.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ListDocument {
    /// The primitives, by family.
    primitives: Vec<PrimitiveEntry>,
}

fn list(family: Option<&str>, json: bool) -> Answer {
    let mut families: Vec<_> = registry().families().collect();
    if let Some(name) = family {
        let names: Vec<_> = families.iter().map(|(family, _)| family.name).collect();
        families.retain(|(family, _)| family.name == name);
        if families.is_empty() {
            bail!("there is no family {name}; the families are {}", names.join(", "));
        }
    }
    if json {
        let primitives = families.iter().flat_map(|(_, members)| members.iter().map(|member| entry(member)));
        output::json(ListDocument { primitives: primitives.collect() })?;
        return Ok(true);
    }
    let mut out = output::stdout();
    let (bold, reset) = if output::colored() { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    for (family, members) in &families {
        let first = family.docs.trim().split(". ").next().unwrap_or_default().trim_end_matches('.');
        writeln!(out, "{bold}{}{reset} ({})  {}", family.name, members.len(), first.replace('\n', ""))?;
        for member in members {
            writeln!(out, "  {:<58} {}", member.signature(), member.summary())?;
        }
        writeln!(out)?;
    }
    let count: usize = families.iter().map(|(_, members)| members.len()).sum();
    let aliases: usize =
        families.iter().flat_map(|(_, members)| members).map(|member| member.aliases.len()).sum();
    let alias = if aliases == 1 { "alias" } else { "aliases" };
    writeln!(out, "{}, {aliases} {alias}", number::count(count, "primitive"))?;
    out.flush()?;
    Ok(true)
}

fn show(name: &str, json: bool) -> Answer {
    let Some(primitive) = registry().get(name) else {
        match suggest(name, registry().names()) {
            Some(near) => bail!("there is no primitive {name}; did you mean {near}?"),
            None => bail!("there is no primitive {name}; `batt dsl list` lists them"),
        }
    };
    if json {
        output::json(entry(primitive))?;
        return Ok(true);
    }
    let mut out = output::stdout();
    let (bold, reset) = if output::colored() { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    writeln!(out, "{bold}{}{reset}\n\n{}\n", primitive.signature(), primitive.prose())?;
    for example in primitive.examples() {
        writeln!(out, "    {}", example.trim())?;
    }
    writeln!(out)?;
    for (label, text) in facts(primitive) {
        writeln!(out, "{label:<10} {text}")?;
    }
    let options = primitive.options();
    if !options.is_empty() {
        writeln!(out, "\noptions")?;
    }
    for option in options {
        writeln!(out, "  {:<40} {}", option.name.as_str(), option.words)?;
    }
    out.flush()?;
    Ok(true)
}

fn facts(primitive: &Primitive) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("family", primitive.family.name.to_owned()),
        ("cost", primitive.cost.name().to_owned()),
        ("fails", if primitive.total { "never on arguments of these types" } else { "may fail" }.to_owned()),
    ];
    if primitive.order_sensitive {
        facts.push(("order", "the result depends on the order of sets".to_owned()));
    }
    if !primitive.aliases.is_empty() {
        facts.push(("also", primitive.aliases.join(", ")));
    }
    if !primitive.keywords.is_empty() {
        let keywords: Vec<_> =
            primitive.keywords.iter().map(|(new, old)| format!("{new} for {old}")).collect();
        facts.push(("keywords", keywords.join(", ")));
    }
    facts
}

/// A primitive of the DSL.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Primitive")]
pub(crate) struct PrimitiveEntry {
    /// Name of the primitive.
    name: &'static str,
    /// Family of the primitive.
    family: &'static str,
    /// Name, parameters and result in one line.
    signature: String,
    /// The parameters.
    params: Vec<Param>,
    /// Type of the result.
    result: String,
    /// True if it never fails on arguments of its types.
    total: bool,
    /// How its fuel grows with the arguments.
    cost: &'static str,
    /// True if the result depends on the order of sets.
    order_sensitive: bool,
    /// Other names.
    aliases: &'static [&'static str],
    /// The manual.
    docs: String,
    /// Examples, which are tested.
    examples: Vec<&'static str>,
    /// The constants that its option may be. Absent if it has no option.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<OptionEntry>,
}

/// A constant that an option may be.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "PrimitiveOption")]
struct OptionEntry {
    /// Name of the constant.
    name: &'static str,
    /// Its meaning.
    words: String,
}

/// A parameter.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Parameter")]
struct Param {
    /// Name of the parameter.
    name: &'static str,
    /// DSL type.
    #[serde(rename = "type")]
    ty: String,
}

fn entry(primitive: &Primitive) -> PrimitiveEntry {
    let params = primitive.params.iter().zip(&primitive.types);
    PrimitiveEntry {
        name: primitive.name,
        family: primitive.family.name,
        signature: primitive.signature(),
        params: params.map(|(name, ty)| Param { name, ty: ty.to_string() }).collect(),
        result: primitive.result.to_string(),
        total: primitive.total,
        cost: primitive.cost.name(),
        order_sensitive: primitive.order_sensitive,
        aliases: primitive.aliases,
        docs: primitive.prose(),
        examples: primitive.examples().map(str::trim).collect(),
        options: primitive
            .options()
            .iter()
            .map(|option| OptionEntry { name: option.name.as_str(), words: option.words.to_string() })
            .collect(),
    }
}

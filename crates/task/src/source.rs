//! Reads files: plain, compressed, in folders and in archives.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use batt_base::size::mebibytes;

/// Maximum size of a text, enough for 200,000 tasks.
const MAX_BYTES: u64 = 1 << 30;

/// Maximum growth when decompressing, as a guard against zip bombs. ARC's files grow by a factor of 11.
const MAX_GROWTH: u64 = 200;
/// Size in bytes up to which any growth is allowed.
const SMALL: u64 = 64 << 20;

/// The content of a file after decompression.
pub(crate) enum Content {
    Text(Vec<u8>),
    /// The JSON files of an archive, sorted by name.
    Archive(Vec<Member>),
}

/// A file of a folder or archive.
pub(crate) struct Member {
    /// The path inside the folder or archive, with `/` as separator, without the folder that all files of an
    /// archive share.
    pub(crate) name: String,
    pub(crate) location: Location,
}

pub(crate) enum Location {
    /// Not read yet.
    OnDisk(PathBuf),
    InMemory {
        label: String,
        text: Vec<u8>,
    },
}

/// Reads a file and decompresses it if necessary. Its name does not matter.
pub(crate) fn read(path: &Path) -> io::Result<Content> {
    let mut bytes = Vec::new();
    read_plain(path, &mut bytes)?;
    unpack_file(bytes, path)
}

/// Decompresses the bytes of a file.
pub(crate) fn unpack_file(bytes: Vec<u8>, path: &Path) -> io::Result<Content> {
    if is_zip(&bytes) {
        return unzip(&bytes, path).map(Content::Archive);
    }
    let mut allowance = Allowance::new(bytes.len());
    gunzip(bytes, &mut allowance).map(Content::Text)
}

/// Reads a file that must contain one text, and replaces the content of `text`.
pub(crate) fn read_text(path: &Path, text: &mut Vec<u8>) -> io::Result<()> {
    text.clear();
    read_plain(path, text)?;
    if is_zip(text) {
        return Err(invalid("expected a JSON file, found a zip archive".to_owned()));
    }
    let mut allowance = Allowance::new(text.len());
    *text = gunzip(std::mem::take(text), &mut allowance)?;
    Ok(())
}

/// Appends the bytes of a file.
pub(crate) fn read_plain(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    let file = std::fs::File::open(path)?;
    // The length is not queried: pipes have none, files grow, and it costs a system call for each task.
    file.take(MAX_BYTES + 1).read_to_end(bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(invalid(format!("larger than {}", mebibytes(MAX_BYTES))));
    }
    Ok(())
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Lists the JSON files of a folder, sorted by name. If it has none, lists those of its sub-folders
/// `training` and `evaluation`.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<Member>> {
    let mut members = Vec::new();
    list_into(folder, "", &mut members)?;
    if members.is_empty() {
        for inside in ["training", "evaluation", "data/training", "data/evaluation"] {
            let folder = folder.join(inside);
            if folder.is_dir() {
                list_into(&folder, &format!("{inside}/"), &mut members)?;
            }
        }
    }
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(members)
}

fn list_into(folder: &Path, prefix: &str, members: &mut Vec<Member>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if is_json(&name) && !entry.file_type()?.is_dir() {
            members
                .push(Member { name: format!("{prefix}{name}"), location: Location::OnDisk(entry.path()) });
        }
    }
    Ok(())
}

/// Whether a file counts: `x.json` or `x.json.gz`, and not hidden.
fn is_json(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let plain = file.strip_suffix(".gz").unwrap_or(file);
    plain.ends_with(".json") && !file.starts_with('.') && !name.starts_with("__MACOSX/")
}

/// Returns the name of a file without folders, `.json` and `.gz`, which is the id of its task.
pub(crate) fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(name);
    let plain = file.strip_suffix(".gz").unwrap_or(file);
    plain.strip_suffix(".json").unwrap_or(plain)
}

/// Decompresses gzip data, and returns any other data unchanged.
fn gunzip(bytes: Vec<u8>, allowance: &mut Allowance) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(bytes);
    }
    unpack(flate2::read::MultiGzDecoder::new(&bytes[..]), allowance)
}

fn unzip(bytes: &[u8], path: &Path) -> io::Result<Vec<Member>> {
    let broken = |error| invalid(format!("damaged zip archive ({error}); is it cut off?"));
    let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes)).map_err(broken)?;
    let mut allowance = Allowance::new(bytes.len());
    let mut members = Vec::new();
    for i in 0..archive.len() {
        let file = archive.by_index(i)?;
        let name = file.name()?.replace('\\', "/");
        if is_json(&name) && file.is_file() {
            let text = unpack(file, &mut allowance).and_then(|text| gunzip(text, &mut allowance));
            let text = text.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
            let label = format!("{}/{name}", path.display());
            members.push(Member { name, location: Location::InMemory { label, text } });
        }
    }
    members.sort_by(|a, b| a.name.cmp(&b.name));
    let shared = shared_folder(&members);
    members.iter_mut().for_each(|member| drop(member.name.drain(..shared)));
    Ok(members)
}

/// The number of bytes that may still be decompressed.
struct Allowance {
    all: u64,
    left: u64,
}

impl Allowance {
    fn new(packed: usize) -> Allowance {
        let all = (packed as u64).saturating_mul(MAX_GROWTH).clamp(SMALL, MAX_BYTES);
        Allowance { all, left: all }
    }
}

/// Reads to the end, or until the allowance is used up.
fn unpack(packed: impl Read, allowance: &mut Allowance) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    packed.take(allowance.left + 1).read_to_end(&mut bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            invalid("the compressed data ends too early; is the file cut off?".to_owned())
        }
        _ => error,
    })?;
    match allowance.left.checked_sub(bytes.len() as u64) {
        Some(left) => allowance.left = left,
        None => {
            return Err(invalid(format!(
                "decompresses to more than {}; refused as a possible zip bomb",
                mebibytes(allowance.all)
            )));
        }
    }
    Ok(bytes)
}

/// Returns the length of the path of the folder that all members share. Many archives contain one folder.
fn shared_folder(members: &[Member]) -> usize {
    let Some((first, last)) = members.first().zip(members.last()) else { return 0 };
    // Names are sorted, so all share what the first and the last share.
    let same = first.name.bytes().zip(last.name.bytes()).take_while(|(a, b)| a == b).count();
    first.name.as_bytes()[..same].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1)
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_ids() {
        assert!(is_json("a/b.json") && is_json("b.json.gz"));
        assert!(
            !is_json("a/.b.json") && !is_json("__MACOSX/b.json") && !is_json("b.txt") && !is_json("b.gz")
        );
        assert_eq!(stem("data/training/00d62c1b.json.gz"), "00d62c1b");
        assert_eq!(stem("task001.json"), "task001");
    }

    #[test]
    fn the_allowance_grows_with_the_compressed_size() {
        assert_eq!(Allowance::new(0).left, SMALL);
        assert_eq!(Allowance::new(1 << 20).left, 200 << 20);
        assert_eq!(Allowance::new(usize::MAX).left, MAX_BYTES);
    }
}

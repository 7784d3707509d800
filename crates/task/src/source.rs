//! Bytes from disk: plain, packed, in folders and in archives.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use batt_base::size::mebibytes;

/// No text is read beyond this: 200,000 tasks.
const MAX_BYTES: u64 = 1 << 30;

/// What is packed may grow by this factor (ARC's files grow by 11), or to `SMALL` bytes, before we take it for a
/// bomb.
const MAX_GROWTH: u64 = 200;
const SMALL: u64 = 64 << 20;

/// What a file holds once it is unpacked.
pub(crate) enum Content {
    Text(Vec<u8>),
    /// The JSON files of an archive, in the order of their names.
    Archive(Vec<Member>),
}

/// A file of a folder or of an archive.
pub(crate) struct Member {
    /// The path inside, with `/` between its parts, without the folder that all files of an archive share.
    pub(crate) name: String,
    pub(crate) held: Held,
}

pub(crate) enum Held {
    /// Not yet read.
    OnDisk(PathBuf),
    InMemory {
        label: String,
        text: Vec<u8>,
    },
}

/// Reads a file and unpacks it if it is packed, whatever it is called.
pub(crate) fn read(path: &Path) -> io::Result<Content> {
    let mut bytes = Vec::new();
    read_plain(path, &mut bytes)?;
    unpack_file(bytes, path)
}

/// Unpacks the bytes of a file.
pub(crate) fn unpack_file(bytes: Vec<u8>, path: &Path) -> io::Result<Content> {
    if is_zip(&bytes) {
        return unzip(&bytes, path).map(Content::Archive);
    }
    let mut allowance = Allowance::new(bytes.len());
    gunzip(bytes, &mut allowance).map(Content::Text)
}

/// Reads a file that must hold one text into `text`, whatever was in there.
pub(crate) fn read_text(path: &Path, text: &mut Vec<u8>) -> io::Result<()> {
    text.clear();
    read_plain(path, text)?;
    if is_zip(text) {
        return Err(invalid("an archive where a JSON file should be".to_owned()));
    }
    let mut allowance = Allowance::new(text.len());
    *text = gunzip(std::mem::take(text), &mut allowance)?;
    Ok(())
}

/// Appends the bytes of a file.
pub(crate) fn read_plain(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    let file = std::fs::File::open(path)?;
    // Its length is not asked for: pipes have none, files grow, and it costs a system call a task.
    file.take(MAX_BYTES + 1).read_to_end(bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(invalid(format!("larger than {}", mebibytes(MAX_BYTES))));
    }
    Ok(())
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// The JSON files of a folder, and of its sub-folders `training` and `evaluation` if it has none itself, in the
/// order of their names.
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
            members.push(Member { name: format!("{prefix}{name}"), held: Held::OnDisk(entry.path()) });
        }
    }
    Ok(())
}

/// Whether a file of a folder counts: `x.json`, `x.json.gz`, nothing hidden.
fn is_json(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let plain = file.strip_suffix(".gz").unwrap_or(file);
    plain.ends_with(".json") && !file.starts_with('.') && !name.starts_with("__MACOSX/")
}

/// The name of a file without folders, `.json` and `.gz`: the id of the task in it.
pub(crate) fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(name);
    let plain = file.strip_suffix(".gz").unwrap_or(file);
    plain.strip_suffix(".json").unwrap_or(plain)
}

/// Unpacks what is packed with gzip, and leaves everything else alone.
fn gunzip(bytes: Vec<u8>, allowance: &mut Allowance) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(bytes);
    }
    unpack(flate2::read::MultiGzDecoder::new(&bytes[..]), allowance)
}

fn unzip(bytes: &[u8], path: &Path) -> io::Result<Vec<Member>> {
    let broken = |error| invalid(format!("not a whole zip archive ({error}): cut off?"));
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
            members.push(Member { name, held: Held::InMemory { label, text } });
        }
    }
    members.sort_by(|a, b| a.name.cmp(&b.name));
    let shared = shared_folder(&members);
    members.iter_mut().for_each(|member| drop(member.name.drain(..shared)));
    Ok(members)
}

/// How much may still come out of what is packed.
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
        io::ErrorKind::UnexpectedEof => invalid("the packed data ends too early: cut off?".to_owned()),
        _ => error,
    })?;
    match allowance.left.checked_sub(bytes.len() as u64) {
        Some(left) => allowance.left = left,
        None => return Err(invalid(format!("unpacks to more than {}: a bomb?", mebibytes(allowance.all)))),
    }
    Ok(bytes)
}

/// The length of the folder that all members lie in: archives often hold one folder.
fn shared_folder(members: &[Member]) -> usize {
    let Some((first, last)) = members.first().zip(members.last()) else { return 0 };
    // Names are sorted, so what the first and the last share all share.
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
    fn room_grows_with_what_is_packed() {
        assert_eq!(Allowance::new(0).left, SMALL);
        assert_eq!(Allowance::new(1 << 20).left, 200 << 20);
        assert_eq!(Allowance::new(usize::MAX).left, MAX_BYTES);
    }
}

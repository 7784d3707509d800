//! A short list without memory of its own.

use std::ops::Deref;

/// A list that cannot grow; up to four members stand in place. Nearly all nodes have no more arguments, and
/// asking for memory for each took a tenth of the time of parsing.
#[derive(Clone, Debug)]
pub struct Few<T>(Repr<T>);

#[derive(Clone, Debug)]
enum Repr<T> {
    Inline(u8, [T; INLINE]),
    Boxed(Box<[T]>),
}

/// No primitive takes more arguments.
const INLINE: usize = 4;

impl<T: Copy + Default> Few<T> {
    #[inline]
    pub(crate) fn new(items: impl ExactSizeIterator<Item = T>) -> Few<T> {
        let n = items.len();
        if n > INLINE {
            return Few(Repr::Boxed(items.collect()));
        }
        let mut inline = [T::default(); INLINE];
        items.zip(&mut inline).for_each(|(item, place)| *place = item);
        Few(Repr::Inline(n as u8, inline))
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::Inline(n, items) => &items[..usize::from(*n)],
            Repr::Boxed(items) => items,
        }
    }
}

impl<'f, T> IntoIterator for &'f Few<T> {
    type Item = &'f T;
    type IntoIter = std::slice::Iter<'f, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

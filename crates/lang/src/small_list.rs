//! A short list that is stored in place.

use std::ops::Deref;

/// A list of fixed length; up to four items are stored in place. Nearly all nodes have at most four
/// arguments, and allocating memory for each took a tenth of the parsing time.
#[derive(Clone, Debug)]
pub struct SmallList<T>(Repr<T>);

#[derive(Clone, Debug)]
enum Repr<T> {
    Inline(u8, [T; INLINE]),
    Boxed(Box<[T]>),
}

/// Maximum number of parameters of a primitive.
const INLINE: usize = 4;

impl<T: Copy + Default> SmallList<T> {
    #[inline]
    pub(crate) fn new(items: impl ExactSizeIterator<Item = T>) -> SmallList<T> {
        let n = items.len();
        if n > INLINE {
            return SmallList(Repr::Boxed(items.collect()));
        }
        let mut inline = [T::default(); INLINE];
        items.zip(&mut inline).for_each(|(item, place)| *place = item);
        SmallList(Repr::Inline(n as u8, inline))
    }
}

impl<T> Deref for SmallList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::Inline(n, items) => &items[..usize::from(*n)],
            Repr::Boxed(items) => items,
        }
    }
}

impl<'f, T> IntoIterator for &'f SmallList<T> {
    type Item = &'f T;
    type IntoIter = std::slice::Iter<'f, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

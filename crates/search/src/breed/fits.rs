//! Type compatibility for mutations. Stricter than the checker, which refuses only what is certainly wrong.

use batt_dsl::Ty;

/// Returns whether a value of type `got` is worth trying where `need` is expected. Unknown types fit
/// everywhere.
pub(crate) fn fits(need: &Ty, got: &Ty) -> bool {
    use Ty::*;
    match (need, got) {
        (Any | Var(_), _) | (_, Any | Var(_)) => true,
        (Func(need, result), Func(got, other)) => {
            need.len() == got.len()
                && fits(result, other)
                && need.iter().zip(got).all(|(need, got)| fits(got, need))
        }
        (Func(..), _) | (_, Func(..)) => false,
        (None, _) | (_, None) => need == got,
        _ if is_int(need) || is_int(got) => ints_fit(need, got),
        (Pair | Num, Pair | Num) => true,
        (Grid | Indices | Object | Patch | Element | Piece, _) if is_piece(got) => pieces_fit(need, got),
        (Cell | Samples, _) => need == got,
        _ => containers_fit(need, got),
    }
}

fn is_int(ty: &Ty) -> bool {
    matches!(ty, Ty::Bool | Ty::Int | Ty::Color | Ty::Rank | Ty::Choice4 | Ty::Choice8)
}

/// Returns whether integer types fit. Different families, such as colours and ranks, do not; a plain integer
/// fits all of them except booleans.
fn ints_fit(need: &Ty, got: &Ty) -> bool {
    match (need, got) {
        (Ty::Num, got) => is_int(got) && *got != Ty::Bool,
        (need, Ty::Num) => is_int(need) && *need != Ty::Bool,
        (Ty::Bool, got) | (got, Ty::Bool) => *got == Ty::Bool,
        (Ty::Int, got) | (got, Ty::Int) => is_int(got),
        (Ty::Choice4 | Ty::Choice8, Ty::Choice4 | Ty::Choice8) => true,
        _ => need == got,
    }
}

fn is_piece(ty: &Ty) -> bool {
    matches!(ty, Ty::Grid | Ty::Indices | Ty::Object | Ty::Patch | Ty::Element | Ty::Piece)
}

/// Returns whether a value can have both types.
fn pieces_fit(need: &Ty, got: &Ty) -> bool {
    const GRID: u8 = 1;
    const INDICES: u8 = 2;
    const OBJECT: u8 = 4;
    let members = |ty: &Ty| match ty {
        Ty::Grid => GRID,
        Ty::Indices => INDICES,
        Ty::Object => OBJECT,
        Ty::Patch => INDICES | OBJECT,
        Ty::Element => GRID | OBJECT,
        _ => GRID | INDICES | OBJECT,
    };
    members(need) & members(got) != 0
}

fn containers_fit(need: &Ty, got: &Ty) -> bool {
    !need.kinds().disjoint(got.kinds()) && fits(need.member(), got.member())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_families_do_not_fit() {
        let fit = |need: &Ty, got: &Ty| fits(need, got);
        assert!(fit(&Ty::Color, &Ty::Color) && fit(&Ty::Color, &Ty::Int) && fit(&Ty::Int, &Ty::Rank));
        assert!(!fit(&Ty::Color, &Ty::Rank) && !fit(&Ty::Bool, &Ty::Int) && !fit(&Ty::Grid, &Ty::Color));
        assert!(fit(&Ty::Patch, &Ty::Object) && fit(&Ty::Piece, &Ty::Grid) && !fit(&Ty::Patch, &Ty::Grid));
        assert!(fit(&Ty::container(Ty::Any), &Ty::Grid) && fit(&Ty::set(Ty::Pair), &Ty::Indices));
        assert!(!fit(&Ty::Grid, &Ty::tuple(Ty::Grid)) && !fit(&Ty::tuple(Ty::Grid), &Ty::Samples));
        let func = |param: Ty, result: Ty| Ty::func(vec![param], result);
        assert!(fit(&func(Ty::Object, Ty::Int), &func(Ty::Piece, Ty::Int)));
        assert!(!fit(&func(Ty::Object, Ty::Int), &func(Ty::Object, Ty::Grid)));
        assert!(!fit(&func(Ty::Any, Ty::Any), &Ty::Grid));
    }
}

def solve_2(S, I, C):
    x1 = o_g(I, R5)
    x2 = get_arg_rank_f(x1, size_f, L1)
    x3 = get_nth_t(S, F0)
    O = mir_rot_t(I, R4)
    return branch(contained(C, x1), O, subgrid(x2, I))

"""Programs for the built-in data set `demo`, each named after its task.

Each is right on every task that the rule of that name can generate, not only on the built-in one.
"""


# Symmetry


def solve_kaleidoscope(I):
    # The picture is mirrored to the right and downwards.
    top = hconcat(I, vmirror(I))
    return vconcat(top, hmirror(top))


def solve_pinwheel(I):
    # The picture and its three rotations form a wheel.
    turns = rapply((identity, rot90, rot270, rot180), I)
    top = hconcat(get_nth(turns, F0), get_nth(turns, F1))
    bottom = hconcat(get_nth(turns, F2), get_nth(turns, F3))
    return vconcat(top, bottom)


def solve_mirror_repair(I):
    # The gray patch is filled from the other half of the mirrored pattern.
    hole = ofcolor(I, GRAY)
    missing = toobject(hole, vmirror(I))
    return paint(I, missing)


def solve_hidden_patch(I):
    # The cells under the black patch are found on the other side of the diagonal.
    hole = ofcolor(I, BLACK)
    return subgrid(hole, dmirror(I))


def solve_turned(S, I, C):
    # The demonstration pairs show how the picture is rotated or mirrored.
    how = a_mr(S)
    return mir_rot(I, how)


def solve_asymmetric_panel(I):
    # The panel that differs from its mirror image.
    panels = hsplit(I, THREE)
    symmetric = fork(equality, identity, vmirror)
    return extract(panels, compose(flip, symmetric))


def solve_across_the_wall(I):
    # The shapes on each side of the gray wall are mirrored on the other.
    upright = portrait(merge(colorfilter(frontiers(I), GRAY)))
    image = branch(upright, vmirror(I), hmirror(I))
    return underpaint(I, asobject(image))


# Objects


def solve_largest_shape(I):
    # The largest shape, cut out.
    shapes = objects(I, T, F, T)
    largest = argmax(shapes, size)
    return subgrid(largest, I)


def solve_odd_shape(I):
    # The one shape that differs from the others, cut out.
    shapes = objects_t(I, T, F, T)
    outline = compose(normalize, toindices)
    odd = leastcommon(apply(outline, shapes))
    return subgrid(extract(shapes, matcher(outline, odd)), I)


def solve_size_ranks(I):
    # The largest shape turns red, the smallest blue, the others green.
    shapes = objects(I, T, F, T)
    green = replace(I, GRAY, GREEN)
    red = fill(green, RED, argmax(shapes, size))
    return fill(red, BLUE, argmin(shapes, size))


def solve_contact(I):
    # Blocks that touch a red cell turn red.
    blocks = colorfilter(objects(I, T, F, T), CYAN)
    touches = rbind(adjacent, ofcolor(I, RED))
    return fill(I, RED, mfilter(blocks, touches))


def solve_infected(I):
    # Shapes with a red cell turn completely red.
    shapes = objects(I, F, F, T)
    sick = compose(lbind(contained, RED), palette)
    return fill(I, RED, mfilter(shapes, sick))


# Gravity


def solve_gravity_down(I):
    # Black cells move to the top of each column; coloured cells keep their order.
    columns = dmirror(I)
    settle = rbind(order, positive)
    return dmirror(apply(settle, columns))


def solve_pull_to_wall(I):
    # All shapes move until they touch the red wall.
    wall = ofcolor(I, RED)
    shapes = remove(recolor(RED, wall), objects(I, T, F, T))
    pull = fork(shift, identity, rbind(gravitate, wall))
    empty = cover(I, merge(shapes))
    return paint(empty, mapply(pull, shapes))


def solve_step_closer(I):
    # The figure moves one step towards the red cell.
    figure = recolor(CYAN, ofcolor(I, CYAN))
    step = position(figure, ofcolor(I, RED))
    return move(I, figure, step)


def solve_to_their_sides(I):
    # Sorts each row with green (3) below black (0) and blue (1) above: c * (2 - c) is -3, 0 and 1.
    side = fork(multiply, identity, lbind(subtract, TWO))
    slide = rbind(order, side)
    return apply(slide, I)


# Patterns


def solve_wallpaper_hole(I):
    # Find the periods where the pattern is complete, then repeat its tile everywhere.
    down = vperiod(asobject(lefthalf(I)))
    across = hperiod(asobject(tophalf(I)))
    tile = asobject(crop(I, ORIGIN, astuple(down, across)))
    rows = interval(ZERO, height(I), down)
    columns = interval(ZERO, width(I), across)
    tiles = mapply(lbind(shift, tile), product(rows, columns))
    return paint(I, tiles)


def solve_diagonal_stripes(I):
    # Repeat the first cells along the top, then shift them down and to the left.
    stripe = merge(fgpartition(I))
    reach = add(width(I), height(I))
    starts = apply(tojvec, interval(ZERO, reach, width(stripe)))
    offsets = mapply(rbind(shoot, DOWN_LEFT), starts)
    return paint(I, mapply(lbind(shift, stripe), offsets))


def solve_checker_fill(I):
    # Every second cell of a rectangle, counted from its corner, takes the background colour.
    rectangles = objects(I, T, F, T)
    places = compose(toindices, normalize)
    odd = chain(flip, even, fork(add, first, last))
    light = compose(rbind(sfilter, odd), places)
    return fill(I, mostcolor(I), mapply(fork(shift, light, ulcorner), rectangles))


def solve_self_similar(I):
    # Nine copies of the picture, masked by the picture enlarged three times.
    row = hconcat(hconcat(I, I), I)
    copies = vconcat(vconcat(row, row), row)
    return cellwise(copies, upscale(I, THREE), BLACK)


# Counting


def solve_count_staircase(I):
    # The staircase has one step for each shape.
    shapes = objects(I, T, F, T)
    steps = size(shapes)
    ground = canvas(BLACK, astuple(steps, steps))
    above = fork(greater, last, first)
    stairs = sfilter(asindices(ground), compose(flip, above))
    return fill(ground, other(palette(I), BLACK), stairs)


def solve_histogram(I):
    # One bar for each colour, as long as its number of cells; the longest is on top.
    colors = order(fgpartition(I), compose(invert, size))
    longest = valmax(colors, size)
    bars = apply(fork(repeat, color, size), colors)
    rest = chain(lbind(repeat, BLACK), lbind(subtract, longest), size)
    return papply(combine, bars, apply(rest, colors))


def solve_even_odd(I):
    # Shapes with an even number of cells turn blue, the others red.
    shapes = objects(I, T, F, T)
    blue_or_red = rbind(rbind(branch, RED), BLUE)
    new_color = chain(blue_or_red, even, size)
    return paint(I, mapply(fork(recolor, new_color, identity), shapes))


def solve_podium(I):
    # The three most common colours, in order.
    gold = get_color_rank(I, F0)
    silver = get_color_rank(I, F1)
    bronze = get_color_rank(I, F2)
    return repeat(astriple(gold, silver, bronze), ONE)


# Lines


def solve_crosshair(I):
    # Red cells draw their row, blue cells their column; crossings are yellow.
    rows = mapply(hfrontier, ofcolor(I, RED))
    columns = mapply(vfrontier, ofcolor(I, BLUE))
    lines = fill(fill(I, RED, rows), BLUE, columns)
    return fill(lines, YELLOW, intersection(rows, columns))


def solve_join_dots(I):
    # Cells in the same row or column are joined in green.
    dots = ofcolor(I, CYAN)
    lines = prapply(connect, dots, dots)
    straight = fork(either, hline, vline)
    return underfill(I, GREEN, mfilter(lines, straight))


def solve_diagonal_rays(I):
    # Cells send rays along their diagonals.
    dots = merge(fgpartition(I))
    directions = (UNITY, NEG_UNITY, UP_RIGHT, DOWN_LEFT)
    rays = prapply(shoot, toindices(dots), directions)
    return fill(I, color(dots), merge(rays))


def solve_full_lines(I):
    # Only the lines that cross the whole grid stay.
    line_color = other(palette(I), BLACK)
    lines = colorfilter(frontiers(I), line_color)
    return fill(canvas(BLACK, shape(I)), line_color, merge(lines))


def solve_leak(I):
    # Yellow fills the boxes and leaks through the gap to the border.
    boxes = objects(I, T, F, T)
    gap = fork(difference, box, toindices)
    direction = fork(position, identity, gap)
    stream = fork(shoot, compose(center, gap), direction)
    full = fill(I, YELLOW, mapply(delta, boxes))
    return fill(full, YELLOW, mapply(stream, boxes))


# Cropping


def solve_inside_corners(I):
    # The area between four yellow corners, cut out.
    corner_cells = ofcolor(I, YELLOW)
    return trim(subgrid(corner_cells, I))


def solve_most_colors(I):
    # The patch with the most colours, cut out.
    patches = objects(I, F, F, T)
    return subgrid(argmax(patches, numcolors), I)


def solve_drop_dividers(I):
    # Rows and columns of one colour are removed.
    return compress(I)


def solve_emptiest_panel(I):
    # The panel with the most black cells.
    rows = vsplit(I, TWO)
    panels = mapply(rbind(hsplit, TWO), rows)
    return argmax(panels, rbind(colorcount, BLACK))


def solve_peel(I):
    # The two outermost rings are removed.
    peel = power(trim, TWO)
    return peel(I)


# New colours


def solve_tall_wide_square(I):
    # Tall rectangles turn red, squares green, the rest blue.
    rectangles = objects(I, T, F, T)
    wide = replace(I, GRAY, BLUE)
    tall = fill(wide, RED, mfilter(rectangles, portrait))
    return fill(tall, GREEN, mfilter(rectangles, square))


def solve_swap_legend(I):
    # The two colours shown above the field are swapped in it.
    one = index(I, ORIGIN)
    two = index(I, RIGHT)
    field = crop(I, TWO_BY_ZERO, subtract(shape(I), TWO_BY_ZERO))
    return switch(field, one, two)


def solve_border_touchers(I):
    # Rectangles that touch the border turn red.
    rectangles = o_g(I, R5)
    touching = sfilter(rectangles, rbind(bordering, I))
    return fill(I, RED, merge(touching))


def solve_in_line(I):
    # Blocks in the row of the yellow cell turn red, those in its column blue.
    dot = ofcolor(I, YELLOW)
    blocks = colorfilter(objects(I, T, F, T), GRAY)
    in_row = mfilter(blocks, rbind(hmatching, dot))
    in_column = mfilter(blocks, rbind(vmatching, dot))
    return fill(fill(I, RED, in_row), BLUE, in_column)


def solve_blue_then_red(I):
    # Blue cells with a red one on their right turn green, both of them.
    pattern = insert(ascell(RIGHT, RED), initset(ascell(ORIGIN, BLUE)))
    found = occurrences(I, pattern)
    return fill(I, GREEN, mapply(lbind(shift, toindices(pattern)), found))


def solve_headers(I):
    # Gray cells take the colour at the top of their column.
    gray = ofcolor(I, GRAY)
    tops = sfilter(asobject(crop(I, ORIGIN, astuple(ONE, width(I)))), first)
    below = chain(lbind(intersection, gray), vfrontier, last)
    return paint(I, mapply(fork(recolor, first, below), tops))


def solve_replaced(S, I, C):
    # One colour appears in no demonstration output, another in no demonstration input.
    old = c_iz_n(S, p_g, first)
    new = c_zo_n(S, p_g, first)
    return replace(I, old, new)


# Tiling


def solve_flipped_tiles(I):
    # Three rows of three copies, the middle row mirrored.
    row = merge(repeat(dmirror(I), THREE))
    plain = dmirror(row)
    flipped = vmirror(plain)
    return vconcat(plain, vconcat(flipped, plain))


def solve_tile_by_colors(I):
    # The number of copies across and down is the number of colours.
    count = numcolors(I)
    steps = interval(ZERO, count, ONE)
    offsets = apply(lbind(multiply, shape(I)), product(steps, steps))
    copies = mapply(lbind(shift, asobject(I)), offsets)
    return paint(canvas(BLACK, multiply(shape(I), count)), copies)


def solve_interleave(I):
    # The rows of the upper and the lower half alternate.
    return mpapply(astuple, tophalf(I), bottomhalf(I))


def solve_rotating_row(I):
    # Crop windows of the doubled row, each one cell further to the right.
    twice = hconcat(I, I)
    starts = apply(tojvec, interval(ZERO, width(I), ONE))
    window = rbind(lbind(crop, twice), shape(I))
    return mapply(window, starts)


# Enclosed areas


def solve_fill_enclosed(I):
    # Black areas that do not touch the border turn yellow.
    areas = colorfilter(objects(I, T, F, F), BLACK)
    outside = rbind(bordering, I)
    return fill(I, YELLOW, mfilter(areas, compose(flip, outside)))


def solve_rooms(I):
    # The largest room turns red, the smallest blue.
    rooms = colorfilter(objects(I, T, F, F), BLACK)
    largest = get_nth_by_key(rooms, L1, size)
    smallest = get_nth_by_key(rooms, F0, size)
    return fill(fill(I, RED, largest), BLUE, smallest)


def solve_closed_frames(I):
    # A closed frame equals the outline of its bounding box.
    frames = objects(I, T, F, T)
    closed = fork(equality, toindices, box)
    red = replace(I, BLUE, RED)
    return fill(red, GREEN, mfilter(frames, closed))


def solve_seeded_boxes(I):
    # Every box is filled with the colour of the only cell in it that is not black.
    # Boxes may cover most of a grid, so gray counts even if it is the most common colour.
    boxes = colorfilter(objects(I, T, F, F), GRAY)
    inside = compose(rbind(toobject, I), delta)
    seed = chain(maximum, palette, inside)
    return paint(I, mapply(fork(recolor, seed, delta), boxes))


# Noise


def solve_remove_specks(I):
    # Single cells disappear.
    specks = sizefilter(objects(I, T, F, T), ONE)
    return cover(I, merge(specks))


def solve_repair_rectangles(I):
    # Rectangles with holes become solid: each fills its bounding box.
    rectangles = objects(I, T, F, T)
    repair = fork(recolor, color, backdrop)
    return paint(I, mapply(repair, rectangles))


def solve_row_majority(I):
    # Every row takes its most common colour.
    level = compose(rbind(repeat, width(I)), mostcommon)
    return apply(level, I)


# Scaling


def solve_shrink_pixel_art(I):
    # Each 3×3 block of the picture becomes one cell.
    picture = difference(asindices(I), ofcolor(I, BLACK))
    return downscale(subgrid(picture, I), THREE)


def solve_zoom_by_colors(I):
    # The picture is enlarged by its number of colours.
    return upscale(I, numcolors(I))


def solve_double_shape(I):
    # The shape doubles its size; its upper left corner stays.
    shape_cells = merge(objects(I, F, F, T))
    return paint(cover(I, shape_cells), upscale(shape_cells, TWO))


def solve_unstretch(I):
    # Repeated rows and columns are dropped.
    rows = dedupe(I)
    return dmirror(dedupe(dmirror(rows)))


def solve_stretch(I):
    # Three times as high and twice as wide.
    return vupscale(hupscale(I, TWO), THREE)


# Sorting


def solve_sort_bars(I):
    # The columns are sorted by their number of coloured cells.
    columns = dmirror(I)
    length = compose(size, lbind(remove, BLACK))
    return dmirror(order(columns, length))


def solve_size_column(I):
    # The colours of the shapes, from the largest to the smallest.
    ascending = order(objects(I, T, F, T), size)
    cells = rbind(repeat, ONE)
    return hmirror(apply(compose(cells, color), ascending))


def solve_legend_order(I):
    # From left to right the shapes take the colours of the legend.
    legend = sfilter(first(I), positive)
    shapes = colorfilter(objects(I, T, F, T), GRAY)
    recolored = mpapply(recolor, legend, order(shapes, leftmost))
    return paint(I, recolored)


# Panels


def solve_panels_and(I):
    # Cells that are coloured in both panels are red.
    left = lefthalf(I)
    right = righthalf(I)
    shared = intersection(ofcolor(left, MAGENTA), ofcolor(right, CYAN))
    return fill(canvas(BLACK, shape(left)), RED, shared)


def solve_panels_xor(I):
    # Cells that are coloured in exactly one panel are green.
    top = ofcolor(tophalf(I), ORANGE)
    bottom = ofcolor(bottomhalf(I), BLUE)
    one = difference(combine(top, bottom), intersection(top, bottom))
    return fill(canvas(BLACK, shape(tophalf(I))), GREEN, one)


def solve_overlay(I):
    # The panels are laid over each other, the left one on top.
    panels = hsplit(I, THREE)
    coloured = compose(rbind(sfilter, first), asobject)
    layers = apply(coloured, panels)
    lower = paint(last(panels), second(layers))
    return paint(lower, first(layers))


def solve_agreement(I):
    # The cells in which the upper and the lower half agree; black elsewhere.
    return cellwise(tophalf(I), bottomhalf(I), BLACK)


# Borders


def solve_rare_frame(I):
    # A frame in the rarest colour.
    return fill(I, leastcolor(I), box(asindices(I)))


def solve_outline_blocks(I):
    # Every block gets a green outline.
    blocks = objects(I, T, F, T)
    return fill(I, GREEN, mapply(outbox, blocks))


def solve_inner_ring(I):
    # A yellow ring just inside the edge of every rectangle.
    rectangles = objects(I, T, F, T)
    return fill(I, YELLOW, mapply(inbox, rectangles))


def solve_corners_and_center(I):
    # The corners of every rectangle turn red, its centre yellow.
    rectangles = objects(I, T, F, T)
    red = fill(I, RED, mapply(corners, rectangles))
    return fill(red, YELLOW, apply(center, rectangles))


def solve_halo(I):
    # All black cells around the shapes turn yellow.
    around = mapply(neighbors, ofcolor(I, MAGENTA))
    return underfill(I, YELLOW, around)


# Connecting


def solve_l_path(I):
    # A green path from red to blue: first along the row, then along the column.
    red = first(ofcolor(I, RED))
    blue = first(ofcolor(I, BLUE))
    bend = astuple(first(red), last(blue))
    path = combine(connect(red, bend), connect(bend, blue))
    return underfill(I, GREEN, path)


def solve_bridges(I):
    # The centres of two squares are one step inside the corners of their common box.
    pairs = fgpartition(I)
    start = compose(increment, ulcorner)
    end = compose(decrement, lrcorner)
    bridge = fork(recolor, color, fork(connect, start, end))
    return paint(I, mapply(bridge, pairs))


def solve_branches(I):
    # Every cell grows a branch to the gray line, as far as it could move towards it.
    line = ofcolor(I, GRAY)
    dots = sizefilter(objects(I, T, F, T), ONE)
    tip = fork(add, center, rbind(gravitate, line))
    branch_of = fork(connect, center, tip)
    return paint(I, mapply(fork(recolor, color, branch_of), dots))


# Copying


def solve_stamp(I):
    # The figure is drawn again around every gray cell.
    marks = ofcolor(I, GRAY)
    figure = argmax(objects(I, F, T, T), size)
    centred = shift(figure, invert(center(figure)))
    return paint(I, mapply(lbind(shift, centred), marks))


def solve_repeat_right(I):
    # The figure is repeated to the right, one column apart.
    figure = merge(fgpartition(I))
    step = increment(width(figure))
    offsets = apply(tojvec, interval(ZERO, width(I), step))
    return paint(I, mapply(lbind(shift, figure), offsets))


def solve_water_reflection(I):
    # The upper half is mirrored in the blue water.
    land = tophalf(I)
    return vconcat(land, replace(hmirror(land), BLACK, BLUE))


# Extremes


def solve_highest_lowest(I):
    # The highest shape turns red, the lowest blue.
    shapes = objects(I, T, F, T)
    highest = argmin(shapes, uppermost)
    lowest = argmax(shapes, lowermost)
    return fill(fill(I, RED, highest), BLUE, lowest)


def solve_level_bars(I):
    # All bars are cut to the length of the shortest.
    shortest = valmin(objects(I, T, F, T), height)
    above = subtract(height(I), shortest)
    ground = crop(I, toivec(above), astuple(shortest, width(I)))
    return vconcat(canvas(BLACK, astuple(above, width(I))), ground)


def solve_second_largest(I):
    # Only the second largest shape stays.
    shapes = objects(I, T, F, T)
    kept = get_arg_rank(shapes, size, F1)
    return paint(canvas(BLACK, shape(I)), kept)


def solve_farthest(I):
    # The square farthest from the red cell turns yellow.
    squares = colorfilter(objects(I, T, F, T), GRAY)
    distance = rbind(manhattan, ofcolor(I, RED))
    return fill(I, YELLOW, argmax(squares, distance))

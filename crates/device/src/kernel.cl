/* Answers jobs: a short program over pictures, one work-group of 32 lanes for each job.
 *
 * OpenCL C 1.2, no extensions, integers only. A value lives in one of four slots of local memory: cells as bytes, a
 * mask with one word for each row, and a box (top, left, height, width). A grid has cells and the box (0, 0, height,
 * width); indices have a mask; an object has both, and its cells outside the mask are 0. Boxes are at most 32 x 32.
 * Numbers live in registers in local memory.
 *
 * A lane works on the row of its own number. An instruction never reads what another lane writes in the same
 * instruction: it does not write a slot or register that it reads, except where only one lane does both. So one
 * barrier after each instruction suffices. All lanes take the same way through the program, because whether a job is
 * passed on depends only on values that all of them read.
 *
 * The values, bills and fingerprints are those of the primitives on the CPU. Everything else is passed on. */

#define LANES 32
#define SIDE 32
#define STRIDE 36 /* nine words: rows fall into different banks */
#define SLOT (SIDE * STRIDE)

/* Instructions: bytes op, d, a, b, then a 32-bit number n. The same list is in `code.rs`. */
#define OP_END 0       /* the value of kind d is in slot or register a */
#define OP_LOAD 1      /* slot d = picture in hole n, of kind a */
#define OP_NUMBER 2    /* register d = number in hole n */
#define OP_BILL 3      /* charge n and the weights of d, a, b */
#define OP_BILL_EACH 4 /* charge n for each cell of the mask of a */
#define OP_LIMIT 5     /* pass on if the mask of a has more than n cells */
#define OP_SET 6       /* register d = n */
#define OP_BOX 7       /* registers d, d+1, d+2, d+3 = top, left, height, width of a */
#define OP_SUBTRACT 8  /* register d = a - b */
#define OP_HALVE 9     /* register d = a / 2, rounded down */
#define OP_DIVIDE 10   /* register d = a / b, rounded down */
#define OP_CENTER 11   /* registers d, d+1 = centre of the box of a */
#define OP_CLEAR 12    /* clear the tally */
#define OP_COUNT 13    /* count the colours of a; n: it has a mask */
#define OP_MOST 14     /* register d = the most common colour; n: the least common */
#define OP_MIRROR 15   /* n: 1 transposed, 2 rows reversed, 4 columns reversed, 8 cells, 16 mask */
#define OP_CUT 16      /* n: 0 top half, 1 bottom half, 2 left half, 3 right half, 4 trim */
#define OP_CROP 17     /* the box in registers b to b+3 */
#define OP_UPSCALE 18  /* b: register with the factor; n: 8 cells, 16 mask */
#define OP_DOWNSCALE 19
#define OP_BESIDE 20
#define OP_ABOVE 21
#define OP_REPLACE 22  /* b: register with the old colour; n: register with the new one */
#define OP_SWITCH 23
#define OP_CELLWISE 24 /* n: register with the colour where a and b differ */
#define OP_SMEAR 25    /* n: row step + 1, then column step + 1 in the second byte */
#define OP_TILE 26     /* a: object, b: canvas; n: mirrored */
#define OP_PAINT 27    /* a: grid, b: object */
#define OP_FILL 28     /* a: grid, b: patch; n: register with the colour */
#define OP_PICK 29     /* n: 0 places of the colour in register b, 1 object of all cells that are not 0, 2 of all */
#define OP_TIGHTEN 30  /* n: 8 if there are cells */
#define OP_FRAME 31    /* n: 0 backdrop, 1 box, 2 inbox, 3 outbox, 4 corners */
#define OP_DELTA 32
#define OP_SHIFT 33    /* moves slot a, in place, by registers b, b+1 */
#define OP_NORMALIZE 34 /* moves slot a, in place, to (0, 0) */
#define OP_SPREAD 35   /* n: 1 edge neighbours, 2 diagonal neighbours */
#define OP_LINES 36    /* n: 0 rows, 1 columns */
#define OP_FRONTIER 37 /* a: register with a place; n: 0 its row, 1 its column */
#define OP_JOIN 38     /* sets of places; n: 0 union, 1 difference, 2 intersection */
#define OP_TOOBJECT 39 /* a: patch, b: grid */
#define OP_RECOLOR 40  /* a: patch, b: register with the colour */
#define OP_CANVAS 41   /* a: register with the colour, b: registers with the size */
#define OP_FLOOD 42    /* the places of a that cannot be reached from the border */
#define OP_SURVEY 43   /* which rows and columns of a have more than one colour */
#define OP_COMPRESS 44

#define BIT(op) (1ul << op)
/* The instructions that read slot a, and those that read slot b. */
#define TAKES_B (BIT(OP_BESIDE) | BIT(OP_ABOVE) | BIT(OP_CELLWISE) | BIT(OP_TILE) | BIT(OP_PAINT) | BIT(OP_FILL) \
    | BIT(OP_JOIN) | BIT(OP_TOOBJECT))
#define TAKES_A (TAKES_B | BIT(OP_BILL_EACH) | BIT(OP_LIMIT) | BIT(OP_BOX) | BIT(OP_CENTER) | BIT(OP_COUNT) \
    | BIT(OP_MIRROR) | BIT(OP_CUT) | BIT(OP_CROP) | BIT(OP_UPSCALE) | BIT(OP_DOWNSCALE) | BIT(OP_REPLACE) \
    | BIT(OP_SWITCH) | BIT(OP_SMEAR) | BIT(OP_PICK) | BIT(OP_TIGHTEN) | BIT(OP_FRAME) | BIT(OP_DELTA) | BIT(OP_SPREAD) \
    | BIT(OP_LINES) | BIT(OP_RECOLOR) | BIT(OP_FLOOD) | BIT(OP_SURVEY) | BIT(OP_COMPRESS))

#define GRID 0
#define INDICES 1
#define OBJECT 2
#define NUMBER 3
#define LABELS 4

#define CELLS 8
#define MASK 16

#define ANSWERED 0u
#define PASSED_ON 1u

#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

#define CELL(s, i, j) cells[(s) * SLOT + (i) * STRIDE + (j)]
#define ROWS(s, i) masks[(s) * SIDE + (i)]
#define TOP(s) boxes[4 * (s)]
#define LEFT(s) boxes[4 * (s) + 1]
#define HEIGHT(s) boxes[4 * (s) + 2]
#define WIDTH(s) boxes[4 * (s) + 3]

/* The lowest n bits, for n from 0 to 32. */
uint ones(int n) { return n >= 32 ? 0xffffffffu : (1u << n) - 1u; }

uint shifted(uint word, int by)
{
    if (by >= 32 || by <= -32) return 0;
    return by >= 0 ? word << by : word >> -by;
}

/* popcount() is not in every library of OpenCL C 1.2. */
uint bits(uint x)
{
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

int lowest(uint word) { return 31 - (int)clz(word & -word); }
int highest(uint word) { return 31 - (int)clz(word); }

int floor_divide(int a, int b)
{
    const int q = a / b;
    return q * b != a && ((a < 0) != (b < 0)) ? q - 1 : q;
}

/* The end of a slice, as in Python: negative numbers count from the end. */
int sliced(int at, int length) { return at < 0 ? max(at + length, 0) : min(at, length); }

/* Where a coordinate falls in a tile. */
int in_tile(int at, int side, int mirrored)
{
    const int turn = floor_divide(at, side), place = at - turn * side;
    return mirrored && (turn & 1) ? side - 1 - place : place;
}

/* `fingerprint.rs` of the crate `value` has the same two functions. */
ulong placed(ulong word, ulong place)
{
    const ulong key = (place + 1) * 0x9e3779b97f4a7c15ul;
    const ulong a = word ^ key, b = key ^ 0xd6e8feb86659fd93ul;
    return a * b ^ mul_hi(a, b);
}

ulong mix(ulong hash, ulong word)
{
    const ulong a = hash ^ 0x9e3779b97f4a7c15ul, b = word ^ 0xd6e8feb86659fd93ul;
    return a * b ^ mul_hi(a, b) ^ rotate(hash, 23ul);
}

/* pictures: for each {word in data, kind, height | width << 8, top << 16 | left}; the data are cells, packed into words,
 *   then the mask.
 * jobs: for each {start of the code, four holes: a picture or a number}.
 * answers: for each {status | height << 8 | width << 16 | kind << 24, top << 16 | left, bill, cells | colours << 16,
 *   fingerprint (two words), word in out, number}.
 * out: the first word counts the words in use, the second is the size; then values in the form of pictures. */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void answer(__global const uint *data, __global const uint4 *pictures, __global const uint *jobs,
            __global const uint2 *code, __global uint *answers, volatile __global uint *out)
{
    __local uchar cells[4 * SLOT];
    __local uint masks[4 * SIDE];
    __local int boxes[4 * 4];
    __local int regs[16];
    __local uint tally[LANES];
    __local ulong sums[LANES];
    __local uint bills[LANES], counts[LANES], palettes[LANES];
    __local uint base;

    const int lane = get_local_id(0);
    __global const uint *job = jobs + 5 * get_group_id(0);
    uint status = ANSWERED, bill = 0, pc = job[0], kind, result;

    for (;;) {
        const uint2 instruction = code[pc++];
        const uint op = instruction.x & 255, d = instruction.x >> 8 & 255, a = instruction.x >> 16 & 255,
                   b = instruction.x >> 24, n = instruction.y;
        kind = d, result = a;
        if (op == OP_END) break;
        /* The box of the result. */
        int top = 0, left = 0, h = 0, w = 0, writes = 1;
        const uint sa = a & 3, sb = b & 3;
        const int takes_a = TAKES_A >> op & 1, takes_b = TAKES_B >> op & 1;
        const int ha = takes_a ? HEIGHT(sa) : 0, wa = takes_a ? WIDTH(sa) : 0;
        const int hb = takes_b ? HEIGHT(sb) : 0, wb = takes_b ? WIDTH(sb) : 0;
        switch (op) {
        case OP_LOAD: {
            const uint4 picture = pictures[job[1 + n]];
            __global const uchar *from = (__global const uchar *)(data + picture.x);
            h = picture.z & 255, w = picture.z >> 8;
            top = (int)picture.w >> 16, left = (int)(picture.w << 16) >> 16;
            if (a != INDICES && lane < w)
                for (int i = 0; i < h; i++) CELL(d, i, lane) = from[i * w + lane];
            if (a != GRID && lane < h) ROWS(d, lane) = data[picture.x + (a == OBJECT ? (h * w + 3) / 4 : 0) + lane];
            break;
        }
        case OP_NUMBER:
            if (lane == 0) regs[d] = job[1 + n];
            writes = 0;
            break;
        case OP_BILL:
            writes = 0;
            if (lane == 0) bill += n;
            for (int k = 8; k < 32; k += 8) {
                const uint what = instruction.x >> k & 255, s = what & 3, of = what >> 4;
                if (what == 255) continue;
                if (lane == 0) bill += 1 + (of == GRID ? HEIGHT(s) + HEIGHT(s) * WIDTH(s) : 0);
                if (of != GRID && lane < HEIGHT(s)) bill += (of == OBJECT ? 5 : 3) * bits(ROWS(s, lane));
            }
            break;
        case OP_BILL_EACH:
            if (lane < ha) bill += n * bits(ROWS(sa, lane));
            writes = 0;
            break;
        case OP_LIMIT: {
            uint count = 0;
            for (int i = 0; i < ha; i++) count += bits(ROWS(sa, i));
            if (count > n) status = PASSED_ON;
            writes = 0;
            break;
        }
        case OP_SET:
            if (lane == 0) regs[d] = n;
            writes = 0;
            break;
        case OP_BOX:
            if (lane == 0) regs[d] = TOP(sa), regs[d + 1] = LEFT(sa), regs[d + 2] = ha, regs[d + 3] = wa;
            writes = 0;
            break;
        case OP_SUBTRACT:
            if (lane == 0) regs[d] = regs[a] - regs[b];
            writes = 0;
            break;
        case OP_HALVE:
            if (lane == 0) regs[d] = regs[a] >> 1;
            writes = 0;
            break;
        case OP_DIVIDE:
            writes = 0;
            if (regs[b] == 0) status = PASSED_ON;
            else if (lane == 0) regs[d] = floor_divide(regs[a], regs[b]);
            break;
        case OP_CENTER:
            if (lane == 0) regs[d] = TOP(sa) + ha / 2, regs[d + 1] = LEFT(sa) + wa / 2;
            if (ha == 0) status = PASSED_ON;
            writes = 0;
            break;
        case OP_CLEAR:
            tally[lane] = 0;
            writes = 0;
            break;
        case OP_COUNT:
            if (lane < ha)
                for (int j = 0; j < wa; j++)
                    if (!n || ROWS(sa, lane) >> j & 1) atomic_inc(&tally[CELL(sa, lane, j) & 15]);
            if (ha == 0) status = PASSED_ON;
            writes = 0;
            break;
        case OP_MOST:
            if (lane == 0) {
                uint best = 16, count = 0;
                for (uint color = 0; color < 16; color++)
                    if (tally[color] != 0 && (best == 16 || (n ? tally[color] < count : tally[color] > count)))
                        best = color, count = tally[color];
                regs[d] = best;
            }
            writes = 0;
            break;
        case OP_MIRROR:
            top = TOP(sa), left = LEFT(sa);
            h = n & 1 ? wa : ha, w = n & 1 ? ha : wa;
            if (lane < h) {
                uint row = 0;
                for (int j = 0; j < w; j++) {
                    int r = n & 1 ? j : lane, c = n & 1 ? lane : j;
                    if (n & 2) r = ha - 1 - r;
                    if (n & 4) c = wa - 1 - c;
                    if (n & CELLS) CELL(d, lane, j) = CELL(sa, r, c);
                    if (n & MASK) row |= (ROWS(sa, r) >> c & 1) << j;
                }
                if (n & MASK) ROWS(d, lane) = row;
            }
            if (ha == 0) status = PASSED_ON;
            break;
        case OP_CUT:
        case OP_CROP: {
            int i0 = 0, j0 = 0;
            h = ha, w = wa;
            if (op == OP_CROP) {
                i0 = sliced(regs[b], ha), j0 = sliced(regs[b + 1], wa);
                h = sliced(regs[b] + regs[b + 2], ha) - i0, w = sliced(regs[b + 1] + regs[b + 3], wa) - j0;
            } else if (n < 2) {
                h = ha / 2, i0 = n == 1 ? ha - h : 0;
            } else if (n < 4) {
                w = wa / 2, j0 = n == 3 ? wa - w : 0;
            } else {
                h = ha - 2, w = wa - 2, i0 = j0 = 1;
            }
            if (h < 1 || w < 1) {
                status = PASSED_ON;
            } else if (lane < h) {
                for (int j = 0; j < w; j++) CELL(d, lane, j) = CELL(sa, i0 + lane, j0 + j);
            }
            break;
        }
        case OP_UPSCALE:
        case OP_DOWNSCALE: {
            const int k = regs[b];
            top = TOP(sa), left = LEFT(sa);
            if (k < 1 || k > SIDE || ha == 0) {
                status = PASSED_ON;
                break;
            }
            h = op == OP_UPSCALE ? ha * k : (ha + k - 1) / k, w = op == OP_UPSCALE ? wa * k : (wa + k - 1) / k;
            if (h > SIDE || w > SIDE) {
                status = PASSED_ON;
            } else if (lane < h) {
                const int r = op == OP_UPSCALE ? lane / k : lane * k;
                uint row = 0;
                for (int j = 0; j < w; j++) {
                    const int c = op == OP_UPSCALE ? j / k : j * k;
                    if (n & CELLS) CELL(d, lane, j) = CELL(sa, r, c);
                    if (n & MASK) row |= (ROWS(sa, r) >> c & 1) << j;
                }
                if (n & MASK) ROWS(d, lane) = row;
            }
            break;
        }
        case OP_BESIDE:
            h = min(ha, hb), w = wa + wb;
            if (w > SIDE) {
                status = PASSED_ON;
            } else if (lane < h) {
                for (int j = 0; j < w; j++) CELL(d, lane, j) = j < wa ? CELL(sa, lane, j) : CELL(sb, lane, j - wa);
            }
            break;
        case OP_ABOVE:
            h = ha + hb, w = wa;
            if (h > SIDE || wa != wb) {
                status = PASSED_ON;
            } else if (lane < h) {
                for (int j = 0; j < w; j++)
                    CELL(d, lane, j) = lane < ha ? CELL(sa, lane, j) : CELL(sb, lane - ha, j);
            }
            break;
        case OP_REPLACE:
        case OP_SWITCH: {
            const uchar from = regs[b], to = regs[n];
            h = ha, w = wa;
            if (lane < h)
                for (int j = 0; j < w; j++) {
                    const uchar cell = CELL(sa, lane, j);
                    CELL(d, lane, j) = cell == from ? to : op == OP_SWITCH && cell == to ? from : cell;
                }
            break;
        }
        case OP_CELLWISE:
            h = ha, w = wa;
            if (hb < ha || wb < wa) {
                status = PASSED_ON;
            } else if (lane < h) {
                for (int j = 0; j < w; j++) {
                    const uchar cell = CELL(sa, lane, j);
                    CELL(d, lane, j) = cell == CELL(sb, lane, j) ? cell : (uchar)regs[n];
                }
            }
            break;
        case OP_SMEAR: {
            const int down = (int)(n & 255) - 1, right = (int)(n >> 8) - 1;
            h = ha, w = wa;
            if (lane < h)
                for (int j = 0; j < w; j++) {
                    int r = lane, c = j;
                    uchar cell = CELL(sa, r, c);
                    while (cell == 0) {
                        r -= down, c -= right;
                        if (r < 0 || r >= h || c < 0 || c >= w) break;
                        cell = CELL(sa, r, c);
                    }
                    CELL(d, lane, j) = cell;
                }
            break;
        }
        case OP_TILE:
            h = hb, w = wb;
            if (ha == 0) {
                status = PASSED_ON;
            } else if (lane < h) {
                const int r = in_tile(lane - TOP(sa), ha, n);
                for (int j = 0; j < w; j++) CELL(d, lane, j) = CELL(sa, r, in_tile(j - LEFT(sa), wa, n));
            }
            break;
        case OP_PAINT:
        case OP_FILL:
            h = ha, w = wa;
            if (lane < h) {
                const int r = lane - TOP(sb);
                const uint row = r >= 0 && r < hb ? ROWS(sb, r) : 0;
                for (int j = 0; j < w; j++) {
                    const int c = j - LEFT(sb);
                    const int covered = c >= 0 && c < wb && (row >> c & 1);
                    uchar cell = CELL(sa, lane, j);
                    if (covered) cell = op == OP_FILL ? (uchar)regs[n] : CELL(sb, r, c);
                    CELL(d, lane, j) = cell;
                }
            }
            break;
        case OP_PICK:
            h = ha, w = wa;
            if (lane < h) {
                uint row = 0;
                for (int j = 0; j < w; j++) {
                    const uchar cell = CELL(sa, lane, j);
                    row |= (uint)(n == 0 ? cell == regs[b] : n == 2 || cell != 0) << j;
                    if (n != 0) CELL(d, lane, j) = cell;
                }
                ROWS(d, lane) = row;
            }
            break;
        case OP_TIGHTEN: {
            uint used = 0;
            int first = SIDE, last = -1;
            for (int i = 0; i < ha; i++) {
                const uint row = ROWS(sa, i);
                used |= row;
                if (row != 0) first = min(first, i), last = i;
            }
            if (used == 0) break; /* Empty: a box of size 0. */
            const int skip = lowest(used);
            top = TOP(sa) + first, left = LEFT(sa) + skip, h = last + 1 - first, w = highest(used) + 1 - skip;
            if (lane < h) {
                ROWS(d, lane) = ROWS(sa, first + lane) >> skip;
                if (n & CELLS)
                    for (int j = 0; j < w; j++) CELL(d, lane, j) = CELL(sa, first + lane, skip + j);
            }
            break;
        }
        case OP_FRAME: {
            const int by = n == 2 ? 1 : n == 3 ? -1 : 0;
            const int i0 = by, i1 = ha - 1 - by, j0 = by, j1 = wa - 1 - by;
            top = TOP(sa) + min(i0, i1), left = LEFT(sa) + min(j0, j1);
            h = abs(i1 - i0) + 1, w = abs(j1 - j0) + 1;
            if (ha == 0 || h > SIDE || w > SIDE) {
                status = PASSED_ON;
            } else if (lane < h) {
                const int edge = lane == 0 || lane == h - 1;
                const uint ends = 1u | 1u << (w - 1);
                ROWS(d, lane) = n == 4 ? (edge ? ends : 0) : n == 0 || edge ? ones(w) : ends;
            }
            break;
        }
        case OP_DELTA:
            top = TOP(sa), left = LEFT(sa), h = ha, w = wa;
            if (lane < h) ROWS(d, lane) = ones(w) & ~ROWS(sa, lane);
            break;
        case OP_SHIFT:
            if (lane == 0) TOP(sa) += regs[b], LEFT(sa) += regs[b + 1];
            writes = 0;
            break;
        case OP_NORMALIZE:
            if (lane == 0) TOP(sa) = LEFT(sa) = 0;
            writes = 0;
            break;
        case OP_SPREAD:
            top = TOP(sa) - 1, left = LEFT(sa) - 1, h = ha + 2, w = wa + 2;
            if (ha == 0 || h > SIDE || w > SIDE) {
                status = PASSED_ON;
            } else if (lane < h) {
                const uint above = lane >= 2 ? ROWS(sa, lane - 2) : 0, below = lane < ha ? ROWS(sa, lane) : 0,
                           same = lane >= 1 && lane <= ha ? ROWS(sa, lane - 1) : 0, both = above | below;
                ROWS(d, lane) = (n & 1 ? both << 1 | same | same << 2 : 0) | (n & 2 ? both | both << 2 : 0);
            }
            break;
        case OP_LINES:
            if (n == 0) {
                top = TOP(sa), h = ha, w = 30;
                if (lane < h) ROWS(d, lane) = ROWS(sa, lane) != 0 ? ones(30) : 0;
            } else {
                uint used = 0;
                for (int i = 0; i < ha; i++) used |= ROWS(sa, i);
                left = LEFT(sa), h = 30, w = wa;
                if (lane < h) ROWS(d, lane) = used;
            }
            if (ha == 0) status = PASSED_ON;
            break;
        case OP_FRONTIER:
            if (n == 0) top = regs[a], h = 1, w = 30;
            else left = regs[a + 1], h = 30, w = 1;
            if (lane < h) ROWS(d, lane) = ones(w);
            break;
        case OP_JOIN: {
            const int ta = TOP(sa), la = LEFT(sa), tb = TOP(sb), lb = LEFT(sb);
            top = ta, left = la, h = ha, w = wa;
            if (n == 0) {
                top = min(ta, tb), left = min(la, lb);
                h = max(ta + ha, tb + hb) - top, w = max(la + wa, lb + wb) - left;
            }
            if (ha == 0 || hb == 0 || h > SIDE || w > SIDE) {
                status = PASSED_ON;
            } else if (lane < h) {
                const int ra = lane + top - ta, rb = lane + top - tb;
                const uint x = ra >= 0 && ra < ha ? shifted(ROWS(sa, ra), la - left) : 0;
                const uint y = rb >= 0 && rb < hb ? shifted(ROWS(sb, rb), lb - left) : 0;
                ROWS(d, lane) = n == 0 ? x | y : n == 1 ? x & ~y : x & y;
            }
            break;
        }
        case OP_TOOBJECT:
            top = TOP(sa), left = LEFT(sa), h = ha, w = wa;
            if (lane < h) {
                const int r = top + lane;
                uint row = r >= 0 && r < hb ? ROWS(sa, lane) : 0;
                for (int j = 0; j < w; j++) {
                    const int c = left + j;
                    if (c < 0 || c >= wb) row &= ~(1u << j);
                    CELL(d, lane, j) = row >> j & 1 ? CELL(sb, r, c) : 0;
                }
                ROWS(d, lane) = row;
            }
            break;
        case OP_RECOLOR:
            top = TOP(sa), left = LEFT(sa), h = ha, w = wa;
            if (lane < h) {
                const uint row = ROWS(sa, lane);
                for (int j = 0; j < w; j++) CELL(d, lane, j) = row >> j & 1 ? (uchar)regs[b] : 0;
                ROWS(d, lane) = row;
            }
            break;
        case OP_CANVAS:
            h = regs[b], w = regs[b + 1];
            if (h < 1 || w < 1 || h > SIDE || w > SIDE) {
                status = PASSED_ON;
            } else if (lane < h) {
                for (int j = 0; j < w; j++) CELL(d, lane, j) = regs[a];
            }
            break;
        case OP_FLOOD:
            h = ha, w = wa;
            if (lane == 0) {
                for (int i = 0; i < h; i++)
                    ROWS(d, i) = ROWS(sa, i) & (i == 0 || i == h - 1 ? ones(w) : 1u | 1u << (w - 1));
                for (int turn = 0, moved = 1; moved && turn < SIDE * SIDE; turn++) {
                    moved = 0;
                    for (int k = 0; k < 2 * h; k++) {
                        const int i = k < h ? k : 2 * h - 1 - k;
                        const uint open = ROWS(sa, i), before = ROWS(d, i);
                        uint row = before | (i > 0 ? ROWS(d, i - 1) : 0) | (i < h - 1 ? ROWS(d, i + 1) : 0);
                        row &= open;
                        for (int step = 0; step < SIDE; step++) row |= (row << 1 | row >> 1) & open;
                        if (row != before) ROWS(d, i) = row, moved = 1;
                    }
                }
                for (int i = 0; i < h; i++) ROWS(d, i) = ROWS(sa, i) & ~ROWS(d, i);
            }
            break;
        case OP_SURVEY: {
            uint many = 0;
            if (lane < ha)
                for (int j = 1; j < wa; j++) many |= CELL(sa, lane, j) != CELL(sa, lane, 0);
            if (lane < wa)
                for (int i = 1; i < ha; i++) many |= (CELL(sa, i, lane) != CELL(sa, 0, lane)) << 1;
            tally[lane] = many;
            writes = 0;
            break;
        }
        case OP_COMPRESS: {
            uint rows = 0, cols = 0;
            for (int k = 0; k < LANES; k++) rows |= (tally[k] & 1) << k, cols |= (tally[k] >> 1) << k;
            h = bits(rows), w = bits(cols);
            if (h == 0 || w == 0) {
                status = PASSED_ON;
            } else if (lane < h) {
                for (int k = 0; k < lane; k++) rows &= rows - 1;
                for (int j = 0; j < w; j++, cols &= cols - 1) CELL(d, lane, j) = CELL(sa, lowest(rows), lowest(cols));
            }
            break;
        }
        default:
            status = PASSED_ON;
            break;
        }
        if (status != ANSWERED) break;
        if (writes && lane == 0) TOP(d) = top, LEFT(d) = left, HEIGHT(d) = h, WIDTH(d) = w;
        SYNC;
    }

    /* A job that is passed on, and a number, have a value without words. */
    if (status != ANSWERED) kind = NUMBER;
    const int h = kind == NUMBER ? 0 : HEIGHT(result), w = kind == NUMBER ? 0 : WIDTH(result);
    const uint packed = kind == INDICES ? 0 : (h * w + 3) / 4, size = packed + (kind == GRID ? 0 : h);
    ulong sum = 0;
    uint count = 0, palette = 0;
    if (kind == GRID) {
        for (int k = lane; k <= h * w / 8; k += LANES) {
            ulong word = 0;
            int i = 8 * k / w, j = 8 * k - i * w;
            for (int at = 8 * k; at < min(8 * k + 8, h * w); at++) {
                word |= (ulong)CELL(result, i, j) << 8 * (at & 7);
                if (++j == w) j = 0, i++;
            }
            sum += placed(word, k);
        }
    } else if (lane < h) {
        uint rest = ROWS(result, lane);
        count = bits(rest);
        while (rest != 0) {
            /* The cells of one colour. */
            uint row = rest, color = 0;
            if (kind == OBJECT) {
                color = CELL(result, lane, lowest(rest));
                for (int j = 0; j < w; j++)
                    if (CELL(result, lane, j) != color) row &= ~(1u << j);
            }
            palette |= 1u << color;
            sum += placed(row, (ulong)(color + 1) << 8 | lane);
            rest &= ~row;
        }
    }
    sums[lane] = sum, bills[lane] = bill, counts[lane] = count, palettes[lane] = palette;
    if (lane == 0) base = size == 0 ? 2 : atomic_add(&out[0], size);
    SYNC;
    const int fits = base <= out[1] && size <= out[1] - base;
    if (fits)
        for (int k = lane; k < (int)packed; k += LANES) {
            uint word = 0;
            int i = 4 * k / w, j = 4 * k - i * w;
            for (int at = 4 * k; at < min(4 * k + 4, h * w); at++) {
                word |= (uint)CELL(result, i, j) << 8 * (at & 3);
                if (++j == w) j = 0, i++;
            }
            out[base + k] = word;
        }
    if (fits && kind != GRID && lane < h) out[base + packed + lane] = ROWS(result, lane);
    if (lane == 0) {
        __global uint *to = answers + 8 * get_group_id(0);
        const int top = kind == NUMBER ? 0 : TOP(result), left = kind == NUMBER ? 0 : LEFT(result);
        bill = count = palette = 0, sum = 0;
        for (int k = 0; k < LANES; k++) sum += sums[k], bill += bills[k], count += counts[k], palette |= palettes[k];
        ulong hash = mix(mix(3, (ulong)h << 32 | w), sum);
        if (kind != GRID)
            hash = mix(mix(mix(4, (ulong)(uint)top << 32 | (uint)left), (ulong)h << 32 | w << 1 | (kind == OBJECT)), sum);
        to[0] = (fits ? status : PASSED_ON) | h << 8 | w << 16 | kind << 24;
        to[1] = (uint)top << 16 | (left & 0xffff);
        to[2] = bill;
        to[3] = count | palette << 16;
        to[4] = (uint)hash, to[5] = (uint)(hash >> 32);
        to[6] = base;
        to[7] = status == ANSWERED && kind == NUMBER ? regs[result] : 0;
    }
}

/* Labels the objects of a grid: each cell has the number of the first cell of its object, or 0xffff.
 *
 * jobs: for each {picture, 4 univalued | 2 diagonal | 1 without background, 0, 0, 0}. The answers are as above; the
 * value is a 16-bit label for each cell, and the bill has the weights of the grid and of the set of objects. */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void label(__global const uint *data, __global const uint4 *pictures, __global const uint *jobs,
           __global const uint2 *code, __global uint *answers, volatile __global uint *out)
{
    __local uchar cells[SLOT];
    __local ushort labels[2 * SIDE * SIDE];
    __local uint tally[LANES], bills[LANES];
    __local uint moved[3];
    __local uint base;

    const int lane = get_local_id(0);
    __global const uint *job = jobs + 5 * get_group_id(0);
    const uint options = job[1];
    const uint4 picture = pictures[job[0]];
    const int h = picture.z & 255, w = picture.z >> 8;
    if (lane < w)
        for (int i = 0; i < h; i++) CELL(0, i, lane) = ((__global const uchar *)(data + picture.x))[i * w + lane];
    tally[lane] = 0;
    if (lane < 3) moved[lane] = 0;
    SYNC;
    if (lane < h)
        for (int j = 0; j < w; j++) atomic_inc(&tally[CELL(0, lane, j) & 15]);
    SYNC;
    int ground = 255;
    if (options & 1) {
        uint most = 0;
        for (int color = 0; color < 16; color++)
            if (tally[color] > most) most = tally[color], ground = color;
    }
    if (lane < h)
        for (int j = 0; j < w; j++) labels[lane * SIDE + j] = CELL(0, lane, j) == ground ? 0xffff : lane * SIDE + j;
    SYNC;
    /* Each turn reads one half of the labels and writes the other. */
    int turn = 0;
    for (; turn < SIDE * SIDE; turn++) {
        __local const ushort *from = labels + (turn & 1) * SIDE * SIDE;
        __local ushort *to = labels + (~turn & 1) * SIDE * SIDE;
        if (lane < h)
            for (int j = 0; j < w; j++) {
                const ushort before = from[lane * SIDE + j];
                ushort least = before;
                for (int way = 0; least != 0xffff && way < (options & 2 ? 8 : 4); way++) {
                    /* Up, left, down, right, then the corners. */
                    const int i2 = lane + (way < 4 ? (way == 2) - (way == 0) : (way & 2) - 1);
                    const int j2 = j + (way < 4 ? (way == 3) - (way == 1) : 2 * (way & 1) - 1);
                    if (i2 < 0 || i2 >= h || j2 < 0 || j2 >= w) continue;
                    if (options & 4 && CELL(0, i2, j2) != CELL(0, lane, j)) continue;
                    least = min(least, from[i2 * SIDE + j2]);
                }
                /* A label is a cell of the same object: go on to its label. */
                if (least != 0xffff) least = min(least, from[least]);
                to[lane * SIDE + j] = least;
                if (least != before) moved[turn % 3] = 1;
            }
        if (lane == 0) moved[(turn + 1) % 3] = 0;
        SYNC;
        if (!moved[turn % 3]) break;
    }
    __local const ushort *found = labels + (~turn & 1) * SIDE * SIDE;
    const uint size = (h * w + 1) / 2;
    uint bill = 0;
    if (lane < h)
        for (int j = 0; j < w; j++) {
            const uint at = lane * SIDE + j;
            bill += found[at] == 0xffff ? 0 : found[at] == at ? 6 : 5;
        }
    bills[lane] = bill;
    if (lane == 0) base = atomic_add(&out[0], size);
    SYNC;
    const int fits = base <= out[1] && size <= out[1] - base;
    if (fits)
        for (int k = lane; k < (int)size; k += LANES) {
            const int i = 2 * k / w, j = 2 * k - i * w;
            uint word = found[i * SIDE + j];
            if (2 * k + 1 < h * w) word |= (uint)(j + 1 < w ? found[i * SIDE + j + 1] : found[(i + 1) * SIDE]) << 16;
            out[base + k] = word;
        }
    if (lane == 0) {
        __global uint *to = answers + 8 * get_group_id(0);
        /* A call, the grid, three options and the set itself. */
        bill = 1 + (1 + h + h * w) + 3 + 1;
        for (int k = 0; k < LANES; k++) bill += bills[k];
        to[0] = (fits ? ANSWERED : PASSED_ON) | h << 8 | w << 16 | LABELS << 24;
        to[1] = to[3] = to[4] = to[5] = to[7] = 0;
        to[2] = bill, to[6] = base;
    }
}

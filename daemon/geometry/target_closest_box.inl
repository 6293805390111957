/* Closest points of a segment and a solid box. Part of target_closest.h. Pure.
 *
 * The squared distance of the point base + s u from the box is the sum over the axes of max(0, |x_k| - half_k)^2: convex,
 * with a derivative by s that is continuous and linear between the at most six s at which the segment's line crosses a
 * plane of a face. So its zero lies between the neighbouring crossings where its sign changes. */
#ifndef CLASH_GEOMETRY_TARGET_CLOSEST_BOX_INL
#define CLASH_GEOMETRY_TARGET_CLOSEST_BOX_INL

/** How far x is outside -half..half, with its sign; 0 inside. */
SIMD_INLINE double box_excess(double x, double half)
{
    return x > half ? x - half : x < -half ? x + half : 0.0;
}

SIMD_INLINE dvec box_excesses(dvec at, dvec half)
{
    return (dvec){box_excess(at.x, half.x), box_excess(at.y, half.y), box_excess(at.z, half.z)};
}

/** Where the minimum is: low is the last of the s looked at where the distance falls, high the first where it grows, and
 *  flat_low..flat_high where it does neither. */
typedef struct box_search {
    double low, high, flat_low, flat_high;
} box_search;

SIMD_INLINE void box_look(box_search *b, dvec base, dvec u, dvec half, double s)
{
    double slope = dvec_dot(box_excesses(dvec_add_scaled(base, u, s), half), u);

    if (slope < 0.0) {
        b->low = max_of(b->low, s);
    } else if (slope > 0.0) {
        b->high = min_of(b->high, s);
    } else {
        b->flat_low = min_of(b->flat_low, s);
        b->flat_high = max_of(b->flat_high, s);
    }
}

/** Both crossings of one axis, where they are within the segment. */
SIMD_INLINE void box_look_across(box_search *b, dvec base, dvec u, dvec half, double x, double along, double size)
{
    double first = (-size - x) / along, second = (size - x) / along;

    if (first > 0.0 && first < 1.0)
        box_look(b, base, u, half, first);
    if (second > 0.0 && second < 1.0)
        box_look(b, base, u, half, second);
}

/** Between two neighbouring crossings, where the same faces count all along. */
SIMD_INLINE double box_linear_minimum(dvec base, dvec u, dvec half, double low, double high)
{
    double middle = 0.5 * (low + high), square, s;
    dvec at = dvec_add_scaled(base, u, middle), excess = box_excesses(at, half);
    dvec moves = {excess.x != 0.0 ? u.x : 0.0, excess.y != 0.0 ? u.y : 0.0, excess.z != 0.0 ? u.z : 0.0};

    square = dvec_dot(moves, moves);
    s = square > 0.0 ? middle - dvec_dot(excess, moves) / square : middle;
    return s < low ? low : s > high ? high : s;
}

SIMD_INLINE double box_nearest_parameter(dvec base, dvec u, dvec half)
{
    box_search b = {0.0, 1.0, 2.0, -1.0};

    box_look(&b, base, u, half, 0.0);
    box_look(&b, base, u, half, 1.0);
    if (b.high <= 0.0)
        return 0.0;
    if (b.low >= 1.0)
        return 1.0;
    box_look_across(&b, base, u, half, base.x, u.x, half.x);
    box_look_across(&b, base, u, half, base.y, u.y, half.y);
    box_look_across(&b, base, u, half, base.z, u.z, half.z);
    if (!(dvec_dot(u, u) > 0.0))
        return 0.0;
    /* Parallel to a face, or through the box: the middle of what is equally close. */
    if (b.flat_low <= b.flat_high)
        return 0.5 * (b.flat_low + b.flat_high);
    return box_linear_minimum(base, u, half, b.low, b.high);
}

/** Which of the box's features the excess belongs to, and its direction: of a face the normal, of an edge its own. */
SIMD_INLINE target_feature box_feature(dvec excess, dvec *out_along)
{
    bool x = excess.x != 0.0, y = excess.y != 0.0, z = excess.z != 0.0;
    int count = x + y + z;

    *out_along = (dvec){x ? 1.0 : 0.0, y ? 1.0 : 0.0, z ? 1.0 : 0.0};
    if (count == 2)
        *out_along = (dvec){x ? 0.0 : 1.0, y ? 0.0 : 1.0, z ? 0.0 : 1.0};
    return count == 3 ? NEAR_CORNER : count == 2 ? NEAR_EDGE : NEAR_FACE;
}

SIMD_INLINE void near_box(dvec base, dvec u, dvec half, target_near *out)
{
    dvec at;

    out->s = box_nearest_parameter(base, u, half);
    at = dvec_add_scaled(base, u, out->s);
    out->w = box_excesses(at, half);
    out->point = dvec_sub(at, out->w);
    out->distance = dvec_length(out->w);
    out->feature = box_feature(out->w, &out->along);
}

/** How far a point inside is from the faces; negative outside. */
SIMD_INLINE double box_depth(dvec at, dvec half)
{
    return min_of(half.x - fabs(at.x), min_of(half.y - fabs(at.y), half.z - fabs(at.z)));
}

#endif

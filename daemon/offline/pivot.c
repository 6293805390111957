/* The fit: see pivot.h. In double precision; places are relative to the first pose's. */
#include "pivot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N 6 /* unknowns: three of each point */
#define ROUNDS 4
/* What is usual: the median of lengths of three normally distributed numbers is 1.538 of their standard deviation. */
#define MEDIAN_SIGMAS 1.538
#define OUTLIER_SIGMAS 4.0
#define OUTLIER_MIN 1e-4 /* m: a pose that fits this well is never left out */

/* Into how many parts the time is divided to look for errors that last. A few parts find those that last long; more parts tell better how
 * large they are. */
static const size_t part_counts[] = {3, 5, 8};

typedef double row[N];

typedef struct fit {
    const clash_pose *a, *b;
    size_t count, used;
    double *distances; /* of the two points, at each pose */
    bool *is_out;
    row normal[N], vectors[N];
    double right[N], values[N], x[N];
    double spread;
} fit;

/* ---- one pose ---- */

static const clash_pose stage = {.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};

static void rotation_of(clash_quat from, double out[3][3])
{
    const double s = 1.0 / sqrt((double)from.x * (double)from.x + (double)from.y * (double)from.y +
                                (double)from.z * (double)from.z + (double)from.w * (double)from.w);
    const double x = s * (double)from.x, y = s * (double)from.y, z = s * (double)from.z, w = s * (double)from.w;
    const double matrix[3][3] = {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)},
                                 {2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)},
                                 {2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)}};

    memcpy(out, matrix, sizeof matrix);
}

/* Three equations: rows . x = rights. */
static void equations_of(const fit *f, size_t i, row rows[3], double rights[3])
{
    const clash_pose *a = &f->a[i], *b = f->b ? &f->b[i] : &stage;
    const clash_vec3 origin = f->b ? (clash_vec3){0} : f->a[0].position;
    const double between[3] = {(double)b->position.x + (double)origin.x - (double)a->position.x,
                               (double)b->position.y + (double)origin.y - (double)a->position.y,
                               (double)b->position.z + (double)origin.z - (double)a->position.z};
    double of_a[3][3], of_b[3][3];

    rotation_of(a->orientation, of_a);
    rotation_of(b->orientation, of_b);
    for (int k = 0; k < 3; k++) {
        rights[k] = between[k];
        for (int j = 0; j < 3; j++) {
            rows[k][j] = of_a[k][j];
            rows[k][3 + j] = -of_b[k][j];
        }
    }
}

/* ---- eigenvectors ---- */

/* Rotate rows and columns p and q so that their common element becomes 0. */
static void rotate_pair(fit *f, int p, int q)
{
    const double theta = (f->normal[q][q] - f->normal[p][p]) / (2.0 * f->normal[p][q]);
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;

    for (int k = 0; k < N; k++) {
        const double kp = f->normal[k][p], kq = f->normal[k][q];

        f->normal[k][p] = c * kp - s * kq;
        f->normal[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < N; k++) {
        const double pk = f->normal[p][k], qk = f->normal[q][k], vp = f->vectors[k][p], vq = f->vectors[k][q];

        f->normal[p][k] = c * pk - s * qk;
        f->normal[q][k] = s * pk + c * qk;
        f->vectors[k][p] = c * vp - s * vq;
        f->vectors[k][q] = s * vp + c * vq;
    }
}

/* Jacobi's method, cyclic by rows (G. Golub, C. Van Loan, "Matrix Computations", 4th edition, 8.5): six or seven sweeps do. */
static void find_eigenvectors(fit *f)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            f->vectors[i][j] = i == j ? 1.0 : 0.0;
    for (int sweep = 0; sweep < 16; sweep++)
        for (int p = 0; p < N; p++)
            for (int q = p + 1; q < N; q++)
                if (fabs(f->normal[p][q]) > 1e-18)
                    rotate_pair(f, p, q);
    for (int i = 0; i < N; i++)
        f->values[i] = fmax(f->normal[i][i], 0.0);
}

/* ---- the fit ---- */

static void add_up(fit *f)
{
    memset(f->normal, 0, sizeof f->normal);
    memset(f->right, 0, sizeof f->right);
    f->used = 0;
    for (size_t i = 0; i < f->count; i++) {
        row rows[3];
        double rights[3];

        if (f->is_out[i])
            continue;
        f->used++;
        equations_of(f, i, rows, rights);
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < N; m++) {
                f->right[m] += rows[k][m] * rights[k];
                for (int n = 0; n < N; n++)
                    f->normal[m][n] += rows[k][m] * rows[k][n];
            }
    }
    for (int m = 0; m < N; m++) {
        f->right[m] /= (double)f->used;
        for (int n = 0; n < N; n++)
            f->normal[m][n] /= (double)f->used;
    }
}

/* Leave 0 what no motion determines: the smallest solution. */
static void solve(fit *f)
{
    add_up(f);
    find_eigenvectors(f);
    memset(f->x, 0, sizeof f->x);
    for (int i = 0; i < N; i++) {
        double share = 0.0;

        for (int k = 0; k < N; k++)
            share += f->vectors[k][i] * f->right[k];
        for (int k = 0; k < N && f->values[i] > 1e-9; k++)
            f->x[k] += f->vectors[k][i] * share / f->values[i];
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Return how far apart the two points are at each pose; the median of it. */
static double measure(fit *f, double *sorted)
{
    double sum = 0.0;

    for (size_t i = 0; i < f->count; i++) {
        double rights[3], square = 0.0;
        row rows[3];

        equations_of(f, i, rows, rights);
        for (int k = 0; k < 3; k++) {
            double off = -rights[k];

            for (int m = 0; m < N; m++)
                off += rows[k][m] * f->x[m];
            square += off * off;
        }
        f->distances[i] = sqrt(square);
        sum += f->is_out[i] ? 0.0 : square;
    }
    f->spread = sqrt(sum / (double)f->used);
    memcpy(sorted, f->distances, f->count * sizeof *sorted);
    qsort(sorted, f->count, sizeof *sorted, compare);
    return sorted[f->count / 2];
}

/* Return false when nothing has changed. */
static bool leave_out(fit *f, double median)
{
    const double limit = fmax(OUTLIER_SIGMAS * median / MEDIAN_SIGMAS, OUTLIER_MIN);
    bool has_changed = false;

    for (size_t i = 0; i < f->count; i++) {
        const bool is_out = f->distances[i] > limit;

        has_changed |= is_out != f->is_out[i];
        f->is_out[i] = is_out;
    }
    return has_changed;
}

/* ---- what it says ---- */

static double standard_error(const fit *f)
{
    const double unknowns = 3.0 * (double)f->used - N;
    const double variance = f->spread * f->spread * (double)f->used / unknowns;
    double sum = 0.0;

    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            sum += f->vectors[k][i] * f->vectors[k][i] / f->values[i];
    return sqrt(variance * sum / (double)f->used);
}

/* Mark the poses of one of `count` equal parts of the time as left out, beside those that do not fit. */
static void leave_out_part(fit *f, const bool *is_out, size_t part, size_t count)
{
    for (size_t i = 0; i < f->count; i++)
        f->is_out[i] = is_out[i] || i * count / f->count == part;
}

/* The jackknife over parts of the time: find the points anew without each part, and take how far they then lie from each other. Errors that
 * last, as of a tracking that drifts or of a point that slides, move all poses of a part alike, so that they show here, while the
 * residuals of single poses, taken as independent, make them up to six times too small. */
static double jackknife(const fit *whole, bool *is_out, size_t parts)
{
    double sum = 0.0, squares = 0.0;
    double mean[3] = {0.0, 0.0, 0.0};

    for (size_t part = 0; part < parts; part++) {
        fit f = *whole;

        f.is_out = is_out;
        leave_out_part(&f, whole->is_out, part, parts);
        solve(&f);
        for (int k = 0; k < 3; k++) {
            mean[k] += f.x[k] / (double)parts;
            squares += f.x[k] * f.x[k];
        }
    }
    for (int k = 0; k < 3; k++)
        sum += mean[k] * mean[k];
    return sqrt(fmax(squares - (double)parts * sum, 0.0) * ((double)parts - 1.0) / (double)parts);
}

static double error_of(const fit *f, bool *scratch)
{
    double error = standard_error(f);

    for (size_t i = 0; i < sizeof part_counts / sizeof part_counts[0]; i++)
        error = fmax(error, jackknife(f, scratch, part_counts[i]));
    return error;
}

static pivot_verdict judge(const fit *f, const pivot_result *result)
{
    const double limit = 2.0 / PIVOT_CONDITION_MAX; /* the largest is at most 2 */
    int weak = 0, weakest = 0;

    for (int i = 0; i < N; i++) {
        weak += f->values[i] < limit;
        weakest = f->values[i] < f->values[weakest] ? i : weakest;
    }
    if (weak > 1)
        return PIVOT_STILL;
    if (result->condition > PIVOT_CONDITION_MAX)
        return !f->b && fabs(f->vectors[2][weakest]) > 0.9 * sqrt(0.5) ? PIVOT_OWN_AXIS : PIVOT_ONE_AXIS;
    return result->spread > PIVOT_SPREAD_MAX ? PIVOT_LOOSE : PIVOT_GOOD;
}

static pivot_verdict tell(const fit *f, bool *scratch, pivot_result *out)
{
    const clash_vec3 origin = f->b ? (clash_vec3){0} : f->a[0].position;
    double least = f->values[0], most = f->values[0];

    for (int i = 1; i < N; i++) {
        least = fmin(least, f->values[i]);
        most = fmax(most, f->values[i]);
    }
    *out = (pivot_result){.points = {{(float)f->x[0], (float)f->x[1], (float)f->x[2]},
                                     {(float)(f->x[3] + (double)origin.x), (float)(f->x[4] + (double)origin.y),
                                      (float)(f->x[5] + (double)origin.z)}},
                          .spread = f->spread,
                          .error = error_of(f, scratch),
                          .condition = least > 0.0 ? most / least : (double)INFINITY,
                          .used = f->used};
    return judge(f, out);
}

static bool is_usable(const clash_pose *poses, size_t count)
{
    for (size_t i = 0; poses && i < count; i++) {
        const clash_quat q = poses[i].orientation;
        const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;

        if (!clash_vec3_is_finite(poses[i].position) || !isfinite(square) || square < 0.5f)
            return false;
    }
    return true;
}

pivot_verdict pivot_find(const clash_pose *a, const clash_pose *b, size_t count, pivot_result *out)
{
    fit f = {.a = a, .b = b, .count = count};
    double *numbers;
    pivot_verdict verdict = PIVOT_NO_MEMORY;

    *out = (pivot_result){.condition = (double)INFINITY};
    if (count < PIVOT_POSES_MIN)
        return PIVOT_FEW;
    if (!is_usable(a, count) || !is_usable(b, count))
        return PIVOT_NOT_FINITE;
    numbers = calloc(count, 2 * sizeof *numbers);
    f.is_out = calloc(2 * count, sizeof *f.is_out);
    if (numbers && f.is_out) {
        f.distances = numbers;
        solve(&f);
        for (int round = 0; round < ROUNDS && leave_out(&f, measure(&f, numbers + count)); round++)
            solve(&f);
        measure(&f, numbers + count);
        verdict = tell(&f, f.is_out + count, out);
    }
    free(numbers);
    free(f.is_out);
    return verdict;
}

const char *pivot_advice(pivot_verdict verdict)
{
    static const char *const advice[] = {
        [PIVOT_GOOD] = "",
        [PIVOT_FEW] = "there were too few poses: measure for longer, with the controller in sight of its tracking",
        [PIVOT_NOT_FINITE] = "a pose is no pose: numbers are not finite, or a quaternion has no length",
        [PIVOT_STILL] = "it hardly turned: lean it far over, by 40 degrees or more, all the way around",
        [PIVOT_ONE_AXIS] = "it turned about one axis only: lean it over to all sides, not only to and fro",
        [PIVOT_OWN_AXIS] =
            "it turned about its own length only: lean it over, by 40 degrees or more, all the way around",
        [PIVOT_LOOSE] = "the point did not stay in its place: hold it there, and turn more slowly",
        [PIVOT_NO_MEMORY] = "out of memory",
    };

    return advice[verdict];
}

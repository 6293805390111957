/* The mesh that is struck. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static clash_vec3 point(uint32_t column, uint32_t row, uint32_t rows)
{
    double down = PI * row / rows, round = PI * column / rows;
    double radius = 0.5 * (1 + 0.1 * sin(7 * down) * cos(9 * round));

    return (clash_vec3){(float)(radius * sin(down) * cos(round)), (float)(radius * cos(down)),
                        (float)(radius * sin(down) * sin(round))};
}

bench_mesh bench_ball(uint32_t triangles)
{
    uint32_t rows = (uint32_t)(sqrt(triangles / 4.0) + 0.5), columns = 2 * rows;
    bench_mesh mesh = {.vertex_count = (columns + 1) * (rows + 1), .count = 0};

    mesh.vertices = malloc(mesh.vertex_count * sizeof *mesh.vertices);
    mesh.triangles = malloc((size_t)2 * columns * rows * sizeof *mesh.triangles);
    for (uint32_t j = 0; mesh.vertices && mesh.triangles && j <= rows; j++)
        for (uint32_t i = 0; i <= columns; i++)
            mesh.vertices[j * (columns + 1) + i] = point(i, j, rows);
    for (uint32_t j = 0; mesh.triangles && j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t a = j * (columns + 1) + i, c = a + columns + 1, two[6] = {a, a + 1, c, a + 1, c + 1, c};

            for (int k = 0; k < 6; k++)
                mesh.triangles[mesh.count + (uint32_t)k / 3][k % 3] = two[k];
            mesh.count += 2;
        }
    }
    return mesh;
}

void bench_ball_free(bench_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
}

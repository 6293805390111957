/* OBJ and glTF through assimp: the one loader in Debian that reads both, has a C interface and is maintained. Only
 * those two formats are passed to it, and a scene's triangles are collected here rather than by its own flattening,
 * which leaves the windings of mirrored nodes as they are. */
#include "mesh/helper/imported.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mesh/helper/gltf_check.h"
#include "mesh/helper/scene_io.h"

/** As deep as gltf_check allows, plus what the loader puts around the nodes. */
#define NODES_DEEP_MAX (GLTF_NODES_DEEP_MAX + 6)

bool scene_is_known(const char *path)
{
    const char *end = strrchr(path, '.');

    return end && (strcasecmp(end, ".obj") == 0 || strcasecmp(end, ".gltf") == 0 || strcasecmp(end, ".glb") == 0);
}

/** A node on the way from the root, and which of its children is next. */
typedef struct step {
    const struct aiNode *node;
    struct aiMatrix4x4 transform; /* scene_from_node */
    unsigned next;
} step;

typedef struct gathering {
    const struct aiScene *scene;
    surface *out; /* its arrays are NULL in the pass that only counts */
    uint64_t vertices, triangles;
    const char *problem;
} gathering;

static clash_vec3 transformed(const struct aiMatrix4x4 *m, struct aiVector3D v)
{
    return (clash_vec3){m->a1 * v.x + m->a2 * v.y + m->a3 * v.z + m->a4,
                        m->b1 * v.x + m->b2 * v.y + m->b3 * v.z + m->b4,
                        m->c1 * v.x + m->c2 * v.y + m->c3 * v.z + m->c4};
}

static void add_vertices(gathering *g, const struct aiMesh *mesh, const struct aiMatrix4x4 *transform)
{
    for (unsigned i = 0; g->out->vertices && i < mesh->mNumVertices; i++) {
        clash_vec3 v = transformed(transform, mesh->mVertices[i]);

        if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z))
            g->problem = "has a vertex that is not finite";
        g->out->vertices[g->vertices + i] = v;
    }
}

static void add_triangle(gathering *g, const struct aiMesh *mesh, const struct aiFace *face, bool mirrors)
{
    uint32_t(*to)[3] = g->out->triangles;

    if (face->mNumIndices != 3)
        return;
    for (unsigned k = 0; k < 3; k++) {
        if (face->mIndices[k] >= mesh->mNumVertices) {
            g->problem = "has a triangle with a vertex that is not there";
            return;
        }
        if (to)
            to[g->triangles][mirrors ? 2 - k : k] = (uint32_t)g->vertices + face->mIndices[k];
    }
    g->triangles++;
}

static void add_mesh(gathering *g, unsigned index, const struct aiMatrix4x4 *transform)
{
    bool mirrors = aiMatrix4Determinant(transform) < 0;
    const struct aiMesh *mesh;

    if (index >= g->scene->mNumMeshes) {
        g->problem = "has a node with a mesh that is not there";
        return;
    }
    mesh = g->scene->mMeshes[index];
    add_vertices(g, mesh, transform);
    for (unsigned i = 0; i < mesh->mNumFaces && !g->problem; i++)
        add_triangle(g, mesh, &mesh->mFaces[i], mirrors);
    g->vertices += mesh->mNumVertices;
    if (g->triangles > CLASH_TRIANGLES_MAX || g->vertices > UINT32_MAX)
        g->problem = "has more triangles than a mesh may have";
}

static void add_node(gathering *g, const step *s)
{
    for (unsigned i = 0; i < s->node->mNumMeshes && !g->problem; i++)
        add_mesh(g, s->node->mMeshes[i], &s->transform);
}

/** Visit all nodes, each after its parent. */
static void gather(gathering *g)
{
    step steps[NODES_DEEP_MAX];
    int depth = 1;

    g->vertices = g->triangles = 0;
    steps[0] = (step){g->scene->mRootNode, g->scene->mRootNode->mTransformation, 0};
    add_node(g, &steps[0]);
    while (depth > 0 && !g->problem) {
        step *s = &steps[depth - 1];
        step child;

        if (s->next >= s->node->mNumChildren) {
            depth--;
            continue;
        }
        if (depth == NODES_DEEP_MAX) {
            g->problem = "has nodes within nodes without end";
            return;
        }
        child = (step){s->node->mChildren[s->next++], s->transform, 0};
        aiMultiplyMatrix4(&child.transform, &child.node->mTransformation);
        add_node(g, &child);
        steps[depth++] = child;
    }
}

/** Count first, so that memory is allocated once. */
static const char *fill(surface *out, const struct aiScene *scene)
{
    gathering g = {.scene = scene, .out = out};

    gather(&g);
    if (g.problem)
        return g.problem;
    if (g.triangles == 0)
        return "has no triangles";
    out->vertices = malloc(g.vertices * sizeof *out->vertices);
    out->triangles = malloc(g.triangles * sizeof *out->triangles);
    if (!out->vertices || !out->triangles)
        return "takes more memory than there is";
    out->vertex_count = (uint32_t)g.vertices;
    out->triangle_count = (uint32_t)g.triangles;
    gather(&g);
    return g.problem;
}

/** Return whether it is the C++ library's text for an allocation that failed. */
static bool is_of_memory(const char *said)
{
    static const char *const words[] = {"bad_alloc", "bad_array_new_length", "length_error",
                                        "vector::", "basic_string::"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(said, words[i]))
            return true;
    return false;
}

/** Return assimp's error, in our words if its own do not help. */
static const char *why_not(const scene_io *io)
{
    const char *said = aiGetErrorString();

    if (said && is_of_memory(said))
        return "takes more memory than its reader may have: a count in it may be wrong";

    if (io->too_large)
        return "is larger than 1 GiB, with what belongs to it";
    if (io->wrong.text[0])
        return io->wrong.text;
    return said && *said ? said : "cannot be read as OBJ or glTF";
}

bool scene_load(const char *path, char *bytes, size_t length, surface *out, failure *why)
{
    const unsigned wanted = aiProcess_Triangulate | aiProcess_ValidateDataStructure;
    const struct aiScene *scene;
    const char *problem;
    scene_io io;

    if (scene_io_init(&io, path, bytes, length) != 0)
        return fail_with(why, "%s", io.wrong.text);
    scene = aiImportFileEx(path, wanted, &io.io);
    problem = scene && scene->mRootNode ? fill(out, scene) : why_not(&io);
    if (problem)
        fail_with(why, "%s", problem);
    if (scene)
        aiReleaseImport(scene);
    return !problem;
}

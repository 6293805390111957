/* In the page there is no loop: what daemon/mesh and daemon/scene say of one in their headers, for WebAssembly. */
#ifndef CLASHD_VIEWER_UV_H
#define CLASHD_VIEWER_UV_H

typedef struct uv_loop_s uv_loop_t;

#endif

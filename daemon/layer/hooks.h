/* What the game calls instead of the runtime's own functions: each is the OpenXR function of that name. It passes the call on with the
 * same arguments, unless its comment says otherwise. The game never sees a failure of the layer's own. */
#ifndef CLASHD_LAYER_HOOKS_H
#define CLASHD_LAYER_HOOKS_H

#include "layer.h"

/* chain.c */
XrResult layer_get_instance_proc_addr(XrInstance handle, const char *name, PFN_xrVoidFunction *out_function);
XrResult layer_destroy_instance(XrInstance handle);
XrResult layer_poll_event(XrInstance handle, XrEventDataBuffer *event);
XrResult layer_create_session(XrInstance handle, const XrSessionCreateInfo *info, XrSession *out_session);
XrResult layer_destroy_session(XrSession handle);

/* game_input.c: the game's sets and actions are noted; its suggestions and its sets to attach come with ours added. */
XrResult layer_create_action_set(XrInstance handle, const XrActionSetCreateInfo *info, XrActionSet *out_set);
XrResult layer_destroy_action_set(XrActionSet handle);
XrResult layer_create_action(XrActionSet set, const XrActionCreateInfo *info, XrAction *out_action);
XrResult layer_destroy_action(XrAction handle);
XrResult layer_suggest_bindings(XrInstance handle, const XrInteractionProfileSuggestedBinding *info);
XrResult layer_attach_action_sets(XrSession handle, const XrSessionActionSetsAttachInfo *info);

/* input_sync.c: with our set added, at the priority of the game's own */
XrResult layer_sync_actions(XrSession handle, const XrActionsSyncInfo *info);

/* game_space.c */
XrResult layer_create_reference_space(XrSession handle, const XrReferenceSpaceCreateInfo *info, XrSpace *out_space);
XrResult layer_destroy_space(XrSpace handle);

/* game_frame.c */
XrResult layer_wait_frame(XrSession handle, const XrFrameWaitInfo *info, XrFrameState *state);
XrResult layer_locate_views(XrSession handle, const XrViewLocateInfo *info, XrViewState *state, uint32_t capacity,
                            uint32_t *out_count, XrView *views);
XrResult layer_end_frame(XrSession handle, const XrFrameEndInfo *info);

#endif

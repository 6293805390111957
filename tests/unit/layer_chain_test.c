/* The API layer's place in a chain, without the loader: what it is told in the negotiation, several instances at once, a runtime
 * that lacks a function, and calls that come from within a call of the layer's own. */
#include "support/layer_chain.h"

static void refused(const loader_info *info, const char *name, loader_layer_request *request)
{
    assert_int_equal(negotiate(info, name, request), XR_ERROR_INITIALIZATION_FAILED);
}

static void a_negotiation_that_fails(void **state)
{
    loader_layer_request request = right_request;
    loader_info info = right_info;

    (void)state;
    refused(NULL, LAYER_NAME, &request);
    refused(&info, LAYER_NAME, NULL);
    refused(&info, "XR_APILAYER_SOMEONE_else", &request);
    info.struct_size--;
    refused(&info, LAYER_NAME, &request);
    info = right_info;
    info.min_interface_version = info.max_interface_version = 2;
    refused(&info, LAYER_NAME, &request);
    info = right_info;
    request.struct_type = 3;
    refused(&info, LAYER_NAME, &request);
    request = right_request;
    assert_int_equal(negotiate(&info, NULL, &request), XR_SUCCESS);
    assert_int_equal(layer.create_instance(NULL, NULL, NULL), XR_ERROR_INITIALIZATION_FAILED);
}

static void each_instance_has_its_own_runtime(void **state)
{
    XrInstance first = make_instance(), second = make_instance();
    XrSession sessions[2];
    PFN_xrEndFrame end = FIND(first, xrEndFrame);

    (void)state;
    assert_int_equal(FIND(first, xrCreateSession)(first, NULL, &sessions[0]), XR_SUCCESS);
    assert_int_equal(FIND(second, xrCreateSession)(second, NULL, &sessions[1]), XR_SUCCESS);
    for (int i = 1; i >= 0; i--) {
        assert_int_equal(end(sessions[i], NULL), XR_SUCCESS);
        assert_int_equal(called, i);
    }
    assert_int_equal(FIND(first, xrDestroyInstance)(first), XR_SUCCESS);
    assert_int_equal(end(sessions[1], NULL), XR_SUCCESS);
    assert_int_equal(called, 1);
    assert_int_equal(FIND(second, xrDestroyInstance)(second), XR_SUCCESS);
    assert_int_equal(end(sessions[1], NULL), XR_ERROR_HANDLE_INVALID);
    created = 0;
}

static void where_a_function_is_missing_all_is_passed_on(void **state)
{
    XrInstance instance;

    (void)state;
    lacking = "xrLocateViews";
    instance = make_instance();
    assert_true(FIND(instance, xrEndFrame) == end_frame_of_0);
    assert_int_equal(FIND(instance, xrDestroyInstance)(instance), XR_SUCCESS);
    lacking = "";
    created = 0;
}

static void a_call_from_within_one_is_passed_on(void **state)
{
    XrInstance instance = make_instance();
    XrSession session;
    XrSpace space;
    XrActionSet set = (XrActionSet)(uintptr_t)0x77;
    XrReferenceSpaceCreateInfo reference = {.type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
                                            .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_LOCAL,
                                            .poseInReferenceSpace = {.orientation = {.w = 1}}};
    XrSessionActionSetsAttachInfo attached = {
        .type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO, .countActionSets = 1, .actionSets = &set};
    XrFrameState frame = {.type = XR_TYPE_FRAME_STATE, .predictedDisplayTime = 1};
    XrCompositionLayerProjection drawn = {.type = XR_TYPE_COMPOSITION_LAYER_PROJECTION};
    const XrCompositionLayerBaseHeader *layers[] = {(const XrCompositionLayerBaseHeader *)&drawn};
    XrFrameEndInfo end = {.type = XR_TYPE_FRAME_END_INFO, .layerCount = 1, .layers = layers};

    (void)state;
    layers_end_frame = FIND(instance, xrEndFrame);
    assert_int_equal(FIND(instance, xrCreateSession)(instance, NULL, &session), XR_SUCCESS);
    assert_int_equal(FIND(instance, xrCreateReferenceSpace)(session, &reference, &space), XR_SUCCESS);
    assert_int_equal(FIND(instance, xrAttachSessionActionSets)(session, &attached), XR_SUCCESS);
    drawn.space = space;
    ended = located = 0;
    calls_back = true;
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(FIND(instance, xrWaitFrame)(session, NULL, &frame), XR_SUCCESS);
        end.displayTime = frame.predictedDisplayTime;
        assert_int_equal(layers_end_frame(session, &end), XR_SUCCESS);
        assert_int_equal(located, 2 * i + 1); /* both hands, and once where STAGE is */
        assert_int_equal(ended, 3 * i + 1);   /* each of them called back, and the game itself */
    }
    calls_back = false;
    assert_int_equal(layers_end_frame(session, &end), XR_SUCCESS);
    assert_int_equal(located, 7); /* a frame that was ended goes nowhere twice */
    end.displayTime = INT64_MAX;
    assert_int_equal(layers_end_frame(session, &end), XR_SUCCESS);
    assert_int_equal(located, 7); /* and one that nobody will see, nowhere at all */
    assert_int_equal(FIND(instance, xrDestroyInstance)(instance), XR_SUCCESS);
    created = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_negotiation_that_fails),
        cmocka_unit_test(each_instance_has_its_own_runtime),
        cmocka_unit_test(where_a_function_is_missing_all_is_passed_on),
        cmocka_unit_test(a_call_from_within_one_is_passed_on),
    };

    return cmocka_run_group_tests(tests, load, NULL);
}

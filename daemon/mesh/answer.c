/* See answer.h. */
#include "mesh/answer.h"

#include <stdio.h>

#define NOT_UNDERSTOOD "its reader is not understood: "

bool answer_is_whole(const answer *a)
{
    char *place;

    return a->received >= sizeof a->header &&
           frame_answer_place(&a->surface, a->received - sizeof a->header, &place) == 0;
}

size_t answer_room(answer *a, char **out_place)
{
    static char excess[1];
    size_t room;

    if (a->received < sizeof a->header) {
        *out_place = (char *)&a->header + a->received;
        return sizeof a->header - (size_t)a->received;
    }
    room = frame_answer_place(&a->surface, a->received - sizeof a->header, out_place);
    if (room > 0)
        return room;
    *out_place = excess;
    return sizeof excess;
}

static bool take_header(answer *a, const surface_request *request, failure *out_problem)
{
    failure reason = {0};

    if (!frame_answer_check(&a->header, request, &reason))
        return fail_with(out_problem, NOT_UNDERSTOOD "%s", reason.text);
    if (a->header.message[0])
        return fail_with(out_problem, "%s", a->header.message);
    return frame_answer_reserve(&a->header, &a->surface) || fail_with(out_problem, "takes more memory than there is");
}

bool answer_take(answer *a, const surface_request *request, size_t count, failure *out_problem)
{
    if (count > 0 && answer_is_whole(a))
        return fail_with(out_problem, NOT_UNDERSTOOD "it said more than it announced");
    a->received += count;
    return a->received != sizeof a->header || count == 0 || take_header(a, request, out_problem);
}

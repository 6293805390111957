/* Where things of one stage are in another one's, if both know where they are in the room. Pure. */
#ifndef CLASHD_SOURCES_PEER_ROOM_PLACE_H
#define CLASHD_SOURCES_PEER_ROOM_PLACE_H

#include <clash/pose.h>

#include <stdbool.h>

bool room_pose_is_same(const clash_pose *a, const clash_pose *b);
/** Return own_from_device: room_from_own backward after room_from_theirs after theirs_from_device. Rounded once, at the end. */
clash_pose room_place_pose(const clash_pose *room_from_own, const clash_pose *room_from_theirs,
                           const clash_pose *theirs_from_device);

#endif

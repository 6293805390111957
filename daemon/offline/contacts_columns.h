/* The columns of a table of contacts, for clashctl and for the page, which writes the same. */
#ifndef CLASHD_OFFLINE_CONTACTS_COLUMNS_H
#define CLASHD_OFFLINE_CONTACTS_COLUMNS_H

#include <clash/event.h>

#define CONTACTS_COLUMN_int64_t(name) ""
#define CONTACTS_COLUMN_float(name) "," name
#define CONTACTS_COLUMN(type, member, none) CONTACTS_COLUMN_##type(#member)

/** What there is of a contact is in it: RECORDING.md has the same list. Of the fields that clashes have besides, those that are
 *  floats have their column at the end; times are in seconds above. Others may be added at the end only. */
#define CONTACTS_COLUMNS                                                                                          \
    "contact,time_s,duration_s,blade,other_blade,closing_speed,slide_speed,crossing_angle,intensity,along,other_" \
    "along,"                                                                                                      \
    "x,y,z,peak_closing_speed,min_distance,tracked,reason,"                                                       \
    "seq,target,part,other_part,distance,point_x,point_y,point_z,other_point_x,other_point_y,other_point_z,"      \
    "normal_x,normal_y,normal_z,surface_normal_x,surface_normal_y,surface_normal_z,triangle,"                     \
    "velocity_x,velocity_y,velocity_z,other_velocity_x,other_velocity_y,other_velocity_z,"                        \
    "edge_alignment,other_edge_alignment,fraction,interval_s,since_release_s" CLASH_EVENT_FIELDS(CONTACTS_COLUMN)

#endif

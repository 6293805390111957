/* clashd-openxr --probe: asks the active runtime what it is and offers, without a session, for clashctl doctor. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_PROBE_H
#define CLASHD_SOURCES_OPENXR_HELPER_PROBE_H

/** Print one line for each finding, with the key before a space: `asks` names the next question, so that whoever waits
 *  knows what hangs; `extension`, those that matter to clashd; `runtime`; `headset`; `lacks`, with no_runtime,
 *  no_headset or the like before the words; and `end`. Ends the process with _exit: some runtimes' libraries do not
 *  survive any other end. */
_Noreturn void xr_probe(void);

#endif

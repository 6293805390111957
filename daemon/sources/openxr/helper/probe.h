/* clashd-openxr --probe: asks the active runtime what it is and offers, without a session, for clashctl doctor. */
#ifndef CLASHD_SOURCES_OPENXR_HELPER_PROBE_H
#define CLASHD_SOURCES_OPENXR_HELPER_PROBE_H

/** Prints a line for each thing, the key before a space: `asks` what is asked next, so that whoever waits knows what hangs;
 *  `extension`, those that matter to clashd; `runtime`, `headset`; `lacks`, with no_runtime, no_headset or the like before the words;
 *  and `end`. Ends the process, by _exit: some runtimes' libraries do not survive another end. */
_Noreturn void xr_probe(void);

#endif

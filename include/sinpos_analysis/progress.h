/* progress.h - how functions that may take long report and stop. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_PROGRESS_H
#define SINPOS_ANALYSIS_PROGRESS_H

#include "../sinpos.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Called now and then by functions that may take long, with the part done so far, 0 .. 1, always by the calling
 * thread, with rounding to nearest whatever the caller's mode. Returning anything but 0 stops the work, which then returns
 * SINPOS_E_STOPPED.
 */
typedef int sinpos_progress(void *context, double done);

#ifdef __cplusplus
}
#endif

#endif

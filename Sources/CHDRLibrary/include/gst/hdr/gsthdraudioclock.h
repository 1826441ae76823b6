/* The clock of an audio device, as CMAudioDeviceClockCreate gives it. */
#ifndef GST_HDR_AUDIO_CLOCK_H
#define GST_HDR_AUDIO_CLOCK_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

/**
 * gst_hdr_audio_device_clock_new:
 * @device: (nullable): the display name of a device for sound, such as `gst-device-monitor-1.0 Audio/Sink` lists them,
 * or another of its names, such as node.name, device.string or that of PulseAudio's sink; %NULL is the default device
 * @error: what went wrong
 *
 * A clock that runs as fast as the device plays its samples, for timebases, and for pipelines whose sound another
 * program or pipeline plays on that device. It runs from the time of the call on, since the device plays silence for it
 * as long as the clock lives: where a device takes one program alone, as ALSA's hw devices do, it is busy then. A
 * pipeline with an audio sink of its own has that one's clock without this.
 *
 * A wait on it ends when it would were the device as fast as the system's clock from then on, as one on a sink's clock
 * does. The call waits for the device, for a few seconds where that does not answer. When the device goes, the clock
 * stands still, and with it what waits on it: an application that has to know watches a #GstDeviceMonitor.
 *
 * Returns: (transfer full) (nullable): the clock; %NULL with @error set for a name that no device has, which lists
 * those that there are, and for a device that cannot be opened
 */
GST_HDR_API
GstClock *gst_hdr_audio_device_clock_new(const gchar *device, GError **error);

G_END_DECLS

#endif

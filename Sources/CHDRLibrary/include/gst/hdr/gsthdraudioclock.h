/* The clock of an audio device, as CMAudioDeviceClockCreate gives it. */
#ifndef GST_HDR_AUDIO_CLOCK_H
#define GST_HDR_AUDIO_CLOCK_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

/**
 * gst_hdr_audio_device_clock_new:
 * @device: (nullable): the display name of an audio device, such as `gst-device-monitor-1.0 Audio/Sink` lists them, or
 * another of its names, such as node.name, device.string or that of PulseAudio's sink; %NULL is the default device
 * @error: what went wrong
 *
 * A clock that runs as fast as the device plays its samples. It is meant for timebases, and for pipelines whose sound
 * another program or pipeline plays on that device. It runs from the time of the call on, since the device plays
 * silence for it as long as the clock lives; a device that only one program can use, such as ALSA's hw devices, is busy
 * during that time. A pipeline with an audio sink of its own has that sink's clock without this function.
 *
 * A wait on the clock is converted once to a time of the system's clock, as one on a sink's clock is: it ends when it
 * would if the device ran as fast as the system's clock from then on. The call waits for the device, for a few seconds
 * where the device does not answer.
 *
 * When the device fails or goes away, the clock runs on as fast as the system's clock, from the newest time of the
 * device that anyone has asked for, and emits its signal `device-lost`, which has no arguments, once. The signal comes
 * on a thread of GStreamer's, with no lock held. Sound servers move the sound to another device instead, whose speed
 * the clock has from then on.
 *
 * Returns: (transfer full) (nullable): the clock; %NULL with @error set, in the domain %GST_HDR_ERROR: to
 *     %GST_HDR_ERROR_INVALID_ARGUMENT for a name that no device has, where the message lists those that there are, and
 *     to %GST_HDR_ERROR_FAILED for a device that cannot be opened, fails meanwhile, does not answer or has no clock
 */
GST_HDR_API
GstClock *gst_hdr_audio_device_clock_new(const gchar *device, GError **error);

G_END_DECLS

#endif

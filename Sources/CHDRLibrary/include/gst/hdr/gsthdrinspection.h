/* What a file or a stream says of its dynamic range, without decoding it. */
#ifndef GST_HDR_INSPECTION_H
#define GST_HDR_INSPECTION_H

#include <gst/gst.h>
#include <gst/hdr/gsthdrapi.h>

G_BEGIN_DECLS

/**
 * GstHdrInspectFlags:
 * @GST_HDR_INSPECT_NONE: the header and the first packet of each stream are read
 * @GST_HDR_INSPECT_WHOLE: all packets are read, so that parts whose dynamic range differs are found
 *
 * How much gst_hdr_inspect_uri() reads.
 */
typedef enum { GST_HDR_INSPECT_NONE = 0, GST_HDR_INSPECT_WHOLE = 1 << 0 } GstHdrInspectFlags;

/**
 * gst_hdr_inspect_uri:
 * @uri: what to read; gst_filename_to_uri() makes one of a path
 * @flags: how much is read
 * @timeout: how long that may take, in nanoseconds; %GST_CLOCK_TIME_NONE for no limit
 * @error: what went wrong
 *
 * The counterpart of AVAssetTrack's containsHDRVideo and its formatDescriptions: describes each stream by its packets
 * and its container. Nothing is decoded, and the calling thread waits; beyond the timeout only for what the system does
 * not interrupt, such as reading a FIFO that nobody writes to.
 *
 * The structure `inspection` has the fields
 *
 * - `contains-hdr` (gboolean): whether a video stream is PQ, HLG or Dolby Vision anywhere in what was read
 * - `duration` (guint64): the duration in nanoseconds; absent where it is not known
 * - `streams` (GstValueArray of GstStructure): the streams in the order of the container
 *
 * and each `stream`
 *
 * - `caps` (GstCaps): the caps of its first packet; absent where the stream sent none
 * - `kind` (gchararray): `video`, `audio`, `text` or `other`
 * - `contains-hdr` (gboolean): only of video: whether it is PQ, HLG or Dolby Vision anywhere in what was read
 * - `dynamic-metadata` (GstValueArray of gchararray): only of video: any of `Dolby Vision`, `HDR10+` and
 *   `SMPTE ST 2094-50`
 * - `parts` (GstValueArray of GstStructure): only of video: a part for each run of packets of one dynamic range
 *
 * and each `part`
 *
 * - `start`, `end` (guint64): presentation times in nanoseconds. The last part has no `end`. Where packets have no
 *   times, both are absent, except that the first part has a `start` of 0
 * - `dynamic-range` (gchararray): `PQ`, `HLG`, `SDR`, or `unknown` where neither stream nor container has a transfer
 *   function
 * - `colorimetry`, `mastering-display-info`, `content-light-level` (gchararray): as in caps, where there are any
 *
 * Streams are those that GStreamer's demuxer of the format exposes, which may be fewer than the container has: that for
 * MP4 and MOV leaves out a video track shorter than a fifth of the file, which it takes for a preview image. `hdr
 * inspect` reads the tracks of such files itself.
 *
 * Dolby Vision and HDR10+ are read where the plugin hdr is installed.
 *
 * Returns: (transfer full) (nullable): what is known; %NULL with @error set where nothing can be read. In the domain
 *     %GST_HDR_ERROR that is %GST_HDR_ERROR_INVALID_ARGUMENT where @uri is none, %GST_HDR_ERROR_INTERRUPTED after
 *     @timeout, where the message says whether anything was read, and %GST_HDR_ERROR_FAILED where elements are missing
 *     or there is no media; what an element reports, such as that there is no such file, has a domain of GStreamer's,
 *     such as %GST_RESOURCE_ERROR
 */
GST_HDR_API
GstStructure *gst_hdr_inspect_uri(const gchar *uri, GstHdrInspectFlags flags, GstClockTime timeout, GError **error);

G_END_DECLS

#endif

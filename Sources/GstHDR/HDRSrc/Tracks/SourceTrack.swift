import CGStreamer
import GstBridge
import HDRConcurrency
import HDRMetadata

/// A track that the file's reader has found.
final class SourceTrack: @unchecked Sendable {
    enum Kind { case video, audio, other }

    /// The reader's pad, a reference of which is owned here.
    let pad: UnsafeMutablePointer<GstPad>
    let kind: Kind
    /// The last part of the stream's identifier in GStreamer.
    let number: String
    /// Whether it is a stream of MPEG-TS, whose identifier ends in the program and the packet identifier, `1/00000041`.
    private let isTransported: Bool
    /// The place in the order of the track table.
    let place: Int
    /// The stream's caps, or the expected ones before its first data.
    private let known: Locked<UncheckedSendable<OwnedCaps>>
    /// The probe that holds data back until the track's branch is built.
    let probe = Locked<gulong>(0)

    init?(_ pad: UnsafeMutablePointer<GstPad>) {
        guard let caps = Self.caps(pad) else { return nil }
        self.pad = gst_object_ref(pad).assumingMemoryBound(to: GstPad.self)
        known = Locked(UncheckedSendable(caps))
        let media = Caps.mediaType(caps.pointer) ?? ""
        let name = gst_pad_get_stream_id(pad)
        defer { g_free(name) }
        let streamID = name.map { String(cString: $0) } ?? ""
        let isVideo = media.hasPrefix("video/") || (streamID.contains("/") && Self.isMotionJPEG(caps, media))
        kind = isVideo ? .video : media.hasPrefix("audio/") ? .audio : .other
        let parts = streamID.split(separator: "/")
        number = parts.last.map(String.init) ?? ""
        isTransported = parts.dropLast().last?.contains(":") ?? false
        place = Self.place(pad, streamID)
    }

    deinit { gst_object_unref(pad) }

    /// Whether a container's track is Motion JPEG. Pictures of chapters are JPEG too, but seconds or more apart.
    private static func isMotionJPEG(_ caps: OwnedCaps, _ media: String) -> Bool {
        guard media == "image/jpeg", let structure = gst_caps_get_structure(caps.pointer, 0),
            let rate = Fraction(structure, "framerate")
        else { return false }
        return rate.numerator >= rate.denominator
    }

    var caps: OwnedCaps { known.withLock { $0.value } }

    func adopt(_ caps: UnsafeMutablePointer<GstCaps>) { known.withLock { $0.value = OwnedCaps(caps) } }

    var mediaType: String { Caps.mediaType(caps.pointer) ?? "" }

    /// The track's number in its file, of MPEG-TS its packet identifier. In Matroska the track's UID follows it.
    var containerNumber: UInt64? { UInt64(number.prefix { $0 != ":" }, radix: isTransported ? 16 : 10) }

    /// Whether it is a video of a codec that GStreamer knows.
    var isPlayableVideo: Bool { kind == .video && !mediaType.hasPrefix("video/x-gst-fourcc") }

    var isRaw: Bool { mediaType == "video/x-raw" || mediaType == "audio/x-raw" }

    /// Whether the reader ends with an `hdrmetaparse`.
    var hasMetadataParser: Bool {
        let type = g_type_from_name("GstHdrMetaParse")
        guard type != 0, var last = gst_object_ref(pad) else { return false }
        func isA(_ object: UnsafeMutableRawPointer, _ type: GType) -> Bool {
            g_type_check_instance_is_a(object.assumingMemoryBound(to: GTypeInstance.self), type) != 0
        }
        while isA(last, gst_ghost_pad_get_type()),
            let inner = gst_ghost_pad_get_target(last.assumingMemoryBound(to: GstGhostPad.self))
        {
            gst_object_unref(last)
            last = UnsafeMutableRawPointer(inner)
        }
        defer { gst_object_unref(last) }
        guard let element = gst_pad_get_parent_element(last.assumingMemoryBound(to: GstPad.self)) else { return false }
        defer { gst_object_unref(element) }
        return isA(UnsafeMutableRawPointer(element), type)
    }

    private static func caps(_ pad: UnsafeMutablePointer<GstPad>) -> OwnedCaps? {
        if let current = gst_pad_get_current_caps(pad) { return OwnedCaps(owning: current) }
        if let stream = gst_pad_get_stream(pad) {
            defer { gst_object_unref(stream) }
            if let caps = gst_stream_get_caps(stream) { return OwnedCaps(owning: caps) }
        }
        return gst_pad_query_caps(pad, nil).map { OwnedCaps(owning: $0) }
    }

    private static func place(_ pad: UnsafeMutablePointer<GstPad>, _ streamID: String) -> Int {
        guard let event = gst_pad_get_sticky_event(pad, GST_EVENT_STREAM_COLLECTION, 0) else { return Int.max }
        defer { gst_mini_object_unref(event.asMiniObject) }
        var collection: UnsafeMutablePointer<GstStreamCollection>?
        gst_event_parse_stream_collection(event, &collection)
        guard let collection else { return Int.max }
        defer { gst_object_unref(collection) }
        let names = (0..<gst_stream_collection_get_size(collection)).map { index in
            gst_stream_collection_get_stream(collection, index).flatMap { gst_stream_get_stream_id($0) }.map {
                String(cString: $0)
            }
        }
        return names.firstIndex(of: streamID) ?? Int.max
    }
}

extension SourceTrack {
    /// Tracks in the file's order; demuxers add pads in any order.
    static func inOrder(_ tracks: [SourceTrack]) -> [SourceTrack] {
        tracks.sorted { ($0.containerNumber ?? .max, $0.number) < ($1.containerNumber ?? .max, $1.number) }
    }
}

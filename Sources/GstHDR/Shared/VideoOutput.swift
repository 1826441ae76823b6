import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// An application's access to frames by time, with a record of the frames that it has taken, and with settings for the
/// form of frames.
///
/// It corresponds to AVPlayerItemVideoOutput.
final class VideoOutput: ShimObject, @unchecked Sendable {
    /// The conversion of frames, and the last converted frame, so that a frame is converted once.
    fileprivate struct Work: @unchecked Sendable {
        /// Converts profile 5 base layers to PQ before any other conversion.
        let pictures = BaseLayerConversion()
        var conversion: FrameConversion?
        var settings = OutputSettings()
        var number: UInt64 = 0
        /// The last converted frame; a reference is owned.
        var made: OpaquePointer?
        /// The last problem that was reported, so that it is not repeated.
        var complaint: String?
    }

    private let store: FrameStore
    private let settings = Locked(OutputSettings())
    private let work = Locked(Work())
    /// The GObject that owns this object, if there is one.
    private let object: UnsafeMutablePointer<GWeakRef>

    init(_ store: FrameStore) {
        self.store = store
        object = .allocate(capacity: 1)
        object.initialize(to: GWeakRef())
        g_weak_ref_init(object, nil)
        store.register(self)
    }

    deinit {
        g_weak_ref_clear(object)
        object.deallocate()
        work.withLock { work in
            if let made = work.made { gst_sample_unref(made) }
        }
    }

    private var id: ObjectIdentifier { ObjectIdentifier(self) }

    /// Sets the owner, on which signals are emitted.
    func attach(to owner: UnsafeMutablePointer<GObject>) {
        g_weak_ref_set(object, owner)
        _ = store.withEntry(id) { $0.canTell = true }
    }

    /// Unregisters the output; it has no frames afterwards.
    func detach() { store.unregister(id) }

    /// Emits the signal of a notice.
    func emit(_ notice: FrameStore.Notice) {
        guard let owner = g_weak_ref_get(object) else { return }
        defer { g_object_unref(owner) }
        gst_hdr_video_output_emit(owner, notice == .flushed ? 1 : 0)
    }

    // MARK: Frames

    func itemTime(_ hostTime: UInt64) -> UInt64? { store.clock.itemTime(at: hostTime) }

    /// Whether the frame for a running time has not been taken yet.
    func hasNewFrame(_ itemTime: UInt64) -> Bool { store.hasNew(itemTime, for: id) }

    func requestNotification(_ advance: UInt64) { store.requestNotice(advance, for: id) }

    /// Takes the frame for a running time, in the form that the settings request; the caller owns the sample. `nil` if
    /// there is none, or if it cannot be converted, which is reported.
    func copyFrame(_ itemTime: UInt64) -> OpaquePointer? {
        guard let frame = store.take(itemTime, for: id) else { return nil }
        let settings = settings.current
        guard !settings.isNothing else { return frame.sample }
        defer { gst_sample_unref(frame.sample) }
        let (sample, complaint) = work.withLock { $0.convert(frame, settings) }
        if let complaint {
            _ = store.clock.withElement { ElementMessage.refusal($0, complaint) }
        }
        return sample
    }

    // MARK: Properties

    func setProperty(_ property: GstHdrVideoOutputProp, _ value: UnsafePointer<GValue>) {
        switch property {
        case GST_HDR_VIDEO_OUTPUT_PROP_ALLOW_WIDE_COLOR:
            let allows = g_value_get_boolean(value) != 0
            settings.withLock { $0.allowsWideColor = allows }
        case GST_HDR_VIDEO_OUTPUT_PROP_LOOK_AHEAD:
            let time = UInt64(g_value_get_uint64(value))
            _ = store.withEntry(id) { $0.lookAhead = time }
        case GST_HDR_VIDEO_OUTPUT_PROP_MAX_BYTES:
            let bytes = UInt64(g_value_get_uint64(value))
            _ = store.withEntry(id) { $0.maxBytes = bytes }
        default:
            let text = g_value_get_string(value).map { String(cString: $0) }
            guard let complaint = settings.withLock({ $0.set(property, text) }) else { return }
            _ = store.clock.withElement { ElementMessage.refusal($0, complaint) }
        }
    }

    func getProperty(_ property: GstHdrVideoOutputProp, _ value: UnsafeMutablePointer<GValue>) {
        switch property {
        case GST_HDR_VIDEO_OUTPUT_PROP_CONSUMPTION_RECORD: g_value_take_boxed(value, structure())
        case GST_HDR_VIDEO_OUTPUT_PROP_ALLOW_WIDE_COLOR:
            g_value_set_boolean(value, settings.current.allowsWideColor ? 1 : 0)
        case GST_HDR_VIDEO_OUTPUT_PROP_LOOK_AHEAD:
            g_value_set_uint64(value, guint64(store.withEntry(id) { $0.lookAhead } ?? 0))
        case GST_HDR_VIDEO_OUTPUT_PROP_MAX_BYTES:
            g_value_set_uint64(value, guint64(store.withEntry(id) { $0.maxBytes } ?? 0))
        default: g_value_set_string(value, settings.current.text(property))
        }
    }

    /// The value of the property `consumption-record`. The caller owns it.
    private func structure() -> Structure.Pointer? {
        let record = store.withEntry(id) { $0.taken } ?? FrameStore.Consumption()
        return Structure.make(
            "consumption-record",
            [
                ("copied", .uint64(record.copied)), ("missed", .uint64(record.missed)),
                ("repeated", .uint64(record.repeated)),
                ("last-item-time", .uint64(record.running ?? UInt64(GstClockTime.max))),
            ])
    }
}

extension VideoOutput.Work {
    /// - Returns: the sample, which the caller owns, and a problem to report.
    fileprivate mutating func convert(
        _ frame: FrameStore.Frame, _ settings: OutputSettings
    ) -> (OpaquePointer?, String?) {
        if settings == self.settings, number == frame.number, let made { return (gst_sample_ref(made), nil) }
        if let made { gst_sample_unref(made) }
        made = nil
        number = frame.number
        do throws(FrameConversion.Impossible) {
            let picture = try pictures.picture(frame.sample)
            defer { gst_sample_unref(picture) }
            if settings != self.settings || conversion?.fits(picture) != true {
                self.settings = settings
                conversion = nil
                conversion = try FrameConversion(picture, settings)
            }
            let sample = try conversion?.convert(picture)
            complaint = nil
            // A frame that is passed on unconverted need not be held longer than by the store.
            if let sample, sample != frame.sample { made = gst_sample_ref(sample) }
            return (sample, nil)
        } catch let problem {
            let isNew = complaint != problem.description
            complaint = problem.description
            return (nil, isNew ? problem.description : nil)
        }
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_video_output_attach(_ impl: gpointer!, _ owner: UnsafeMutablePointer<GObject>!) {
    VideoOutput.with(impl) { $0.attach(to: owner) }
}

@c @implementation
func hdr_video_output_free(_ impl: gpointer!) {
    VideoOutput.with(impl) { $0.detach() }
    VideoOutput.free(impl)
}

@c @implementation
func hdr_video_output_item_time(_ impl: gpointer!, _ host_time: guint64) -> guint64 {
    VideoOutput.with(impl) { guint64($0.itemTime(UInt64(host_time)) ?? UInt64(GstClockTime.max)) }
}

@c @implementation
func hdr_video_output_has_new_frame(_ impl: gpointer!, _ item_time: guint64) -> gboolean {
    VideoOutput.with(impl) { $0.hasNewFrame(UInt64(item_time)) } ? 1 : 0
}

@c @implementation
func hdr_video_output_copy_frame(_ impl: gpointer!, _ item_time: guint64) -> OpaquePointer! {
    VideoOutput.with(impl) { $0.copyFrame(UInt64(item_time)) }
}

@c @implementation
func hdr_video_output_request_notification(_ impl: gpointer!, _ advance_interval: guint64) {
    VideoOutput.with(impl) { $0.requestNotification(UInt64(advance_interval)) }
}

@c @implementation
func hdr_video_output_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    VideoOutput.with(impl) { $0.setProperty(GstHdrVideoOutputProp(id), value) }
}

@c @implementation
func hdr_video_output_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    VideoOutput.with(impl) { $0.getProperty(GstHdrVideoOutputProp(id), value) }
}

import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// The Swift half of an effect: the child object's properties, and the processors made from it.
class Effect: ShimObject, @unchecked Sendable {
    /// The GObject that owns this object; never retained.
    let object: UnsafeMutablePointer<GstHdrEffect>

    init(_ object: UnsafeMutablePointer<GstHdrEffect>) { self.object = object }

    static func of(_ object: UnsafeMutablePointer<GstHdrEffect>) -> Effect {
        Unmanaged<Effect>.fromOpaque(object.pointee.impl).takeUnretainedValue()
    }

    func set(_ property: GstHdrEffectProp, _ value: UnsafePointer<GValue>) {}
    func get(_ property: GstHdrEffectProp, _ value: UnsafeMutablePointer<GValue>) {}
    func setVolumeRamp(from: Double, to: Double, start: UInt64, duration: UInt64) {}
    func clearVolumeRamps() {}
    func pullSamples(most: Int) -> OpaquePointer? { nil }
    func makeTap() -> EffectTap { EffectTap(self) }

    /// The element that the effect is in, whose reference the caller owns.
    private var parent: UnsafeMutablePointer<GstObject>? {
        gst_object_get_parent(object.asGstObject)
    }

    /// Has the element say that a property's value cannot be used.
    func complain(_ text: String) {
        guard let parent else { return }
        defer { gst_object_unref(parent) }
        if let impl = parent.cast(to: GstHdrTap.self).pointee.impl { HDRTap.with(impl) { $0.complain(text) } }
    }

    /// A number that a property was set to, brought into its range; `nil` for what is no number. The element says what
    /// became of it.
    func number(_ value: UnsafePointer<GValue>, of property: String, _ effect: String, in range: ClosedRange<Double>)
        -> Double?
    {
        let number = g_value_get_double(value)
        guard !number.isNaN else {
            complain("The property \(property) of the effect \(effect) was set to \(number): set it to a number")
            return nil
        }
        let taken = min(max(number, range.lowerBound), range.upperBound)
        let isCut = taken != number
        advise(
            property,
            isCut
                ? "The property \(property) of the effect \(effect) was set to \(number): it goes from "
                    + "\(range.lowerBound) to \(range.upperBound), and \(taken) is taken" : nil)
        return taken
    }

    /// Has the element say what became of a property's value; `nil`: it was taken as it is.
    private func advise(_ property: String, _ text: String?) {
        guard let parent else { return }
        defer { gst_object_unref(parent) }
        if let impl = parent.cast(to: GstHdrTap.self).pointee.impl {
            HDRTap.with(impl) { $0.advise("effect::" + property, text) }
        }
    }

    /// Posts a message of the element.
    func post(_ structure: UnsafeMutablePointer<GstStructure>?) {
        guard let structure else { return }
        guard let parent else { return gst_structure_free(structure) }
        defer { gst_object_unref(parent) }
        gst_element_post_message(parent.asGstElement, gst_message_new_element(parent, structure))
    }
}

/// A processor that is a built-in effect: samples of any format become planar double precision, and go back.
class EffectTap: AudioTap, @unchecked Sendable {
    let effect: Effect
    private(set) var io: UnsafeMutablePointer<EffectIO>?

    init(_ effect: Effect) {
        self.effect = effect
        gst_object_ref(effect.object)
    }

    override func prepare(_ format: TapFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        let io = UnsafeMutablePointer<EffectIO>.allocate(capacity: 1)
        io.initialize(to: EffectIO(format, maxFrames: maxFrames))
        self.io = io
        return nil
    }

    override func unprepare() {
        guard let io else { return }
        io.deinitialize(count: 1)
        io.deallocate()
        self.io = nil
    }

    override func finalize() { gst_object_unref(effect.object) }
}

/// The way from a stream's samples to an effect's, and back.
struct EffectIO: ~Copyable {
    let format: TapFormat
    private let memory: UnsafeMutablePointer<Double>
    private let planes: UnsafeMutablePointer<UnsafeMutablePointer<Double>>

    init(_ format: TapFormat, maxFrames: Int) {
        self.format = format
        memory = .allocate(capacity: maxFrames * format.channels)
        memory.initialize(repeating: 0, count: maxFrames * format.channels)
        planes = .allocate(capacity: format.channels)
        for channel in 0..<format.channels { planes.advanced(by: channel).initialize(to: memory + channel * maxFrames) }
    }

    deinit {
        memory.deallocate()
        planes.deallocate()
    }

    @_noLocks private func place(_ call: TapCall, _ channel: Int) -> UnsafeMutableRawPointer {
        format.isPlanar
            ? call.planes[channel] : call.planes[0] + channel &* (Int(truncatingIfNeeded: format.sample.bytes))
    }

    /// Reads a call's samples.
    @_noLocks func load(_ call: TapCall) -> AudioBlock {
        let stride = format.isPlanar ? 1 : format.channels
        for channel in 0..<format.channels {
            format.sample.load(place(call, channel), stride: stride, into: planes[channel], count: call.frames)
        }
        return AudioBlock(channels: format.channels, frames: call.frames, planes: planes)
    }

    /// Writes the samples of `load` back.
    @_noLocks func store(_ call: TapCall) {
        let stride = format.isPlanar ? 1 : format.channels
        for channel in 0..<format.channels {
            format.sample.store(planes[channel], to: place(call, channel), stride: stride, count: call.frames)
        }
    }

    /// Samples as the last call left them.
    var block: UnsafePointer<UnsafeMutablePointer<Double>> { UnsafePointer(planes) }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_effect_new(_ object: UnsafeMutablePointer<GstHdrEffect>!, _ kind: GstHdrEffectKind) -> gpointer! {
    let effect: Effect =
        switch kind {
        case GST_HDR_EFFECT_BANDPASS: BandPassEffect(object)
        case GST_HDR_EFFECT_GAIN: GainEffect(object)
        case GST_HDR_EFFECT_METER: MeterEffect(object)
        default: WaveformEffect(object)
        }
    return effect.impl
}

@c @implementation
func hdr_effect_free(_ impl: gpointer!) {
    Effect.free(impl)
}

@c @implementation
func hdr_effect_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    Effect.with(impl) { $0.set(GstHdrEffectProp(id), value) }
}

@c @implementation
func hdr_effect_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    Effect.with(impl) { $0.get(GstHdrEffectProp(id), value) }
}

@c @implementation
func hdr_effect_set_volume_ramp(
    _ impl: gpointer!, _ from: gdouble, _ to: gdouble, _ start: guint64, _ duration: guint64
) {
    Effect.with(impl) { $0.setVolumeRamp(from: from, to: to, start: UInt64(start), duration: UInt64(duration)) }
}

@c @implementation
func hdr_effect_clear_volume_ramps(_ impl: gpointer!) {
    Effect.with(impl) { $0.clearVolumeRamps() }
}

@c @implementation
func hdr_effect_pull_samples(_ impl: gpointer!, _ max_frames: guint) -> OpaquePointer! {
    Effect.with(impl) { $0.pullSamples(most: Int(max_frames)) }
}

import CGStreamer
import Glibc
import Testing

/// libgstcontroller, where it is installed: this package does not link it.
struct ControllerLibrary: @unchecked Sendable {
    typealias MakeSource = @convention(c) () -> OpaquePointer?
    typealias SetValue = @convention(c) (OpaquePointer?, GstClockTime, Double) -> gboolean
    typealias Bind =
        @convention(c) (UnsafeMutablePointer<GstObject>?, UnsafePointer<CChar>?, OpaquePointer?)
        -> UnsafeMutablePointer<GstControlBinding>?

    let makeSource: MakeSource
    let setValue: SetValue
    let bind: Bind

    static let shared: ControllerLibrary? = {
        guard let library = dlopen("libgstcontroller-1.0.so.0", RTLD_NOW),
            let makeSource = dlsym(library, "gst_interpolation_control_source_new"),
            let setValue = dlsym(library, "gst_timed_value_control_source_set"),
            let bind = dlsym(library, "gst_direct_control_binding_new_absolute")
        else { return nil }
        return ControllerLibrary(
            makeSource: unsafeBitCast(makeSource, to: MakeSource.self),
            setValue: unsafeBitCast(setValue, to: SetValue.self),
            bind: unsafeBitCast(bind, to: Bind.self))
    }()
}

@Suite(.quiet, .enabled(if: ControllerLibrary.shared != nil, "libgstcontroller-1.0 is not installed"))
struct ControllerTests {
    /// target-peak falls from 1000 to 200 cd/m² within a second of stream time; picture and caps follow each buffer.
    @Test(arguments: [0, 3_000_000_000] as [UInt]) func targetPeakOverTime(_ start: UInt) throws {
        let library = try #require(ControllerLibrary.shared)
        let harness = try Harness()
        #expect(harness.sendCaps(caps("P010_10LE", "bt2100-pq", mastering: Mastering.p3at(2000))))
        // Stream time starts at 0, wherever the stamps do.
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.start = start
        #expect(harness.send(gst_event_new_segment(&segment)))
        let source = try #require(library.makeSource())
        let sourceObject = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self)
        gst_util_set_object_arg(sourceObject, "mode", "linear")
        #expect(library.setValue(source, 0, 1000) != 0)
        #expect(library.setValue(source, 1_000_000_000, 200) != 0)
        let element = UnsafeMutableRawPointer(harness.element).assumingMemoryBound(to: GstObject.self)
        #expect(gst_object_add_control_binding(element, library.bind(element, "target-peak", source)) != 0)
        gst_object_unref(UnsafeMutableRawPointer(source))

        let info = try harness.inputInfo()
        var codes: [UInt16] = []
        for (index, peak) in [1000, 800, 600, 400, 200].enumerated() {
            let buffer = try Buffer(PictureCodes(32, 8, 940, 512, 512), info)
            buffer.pointer.pointee.pts = start + UInt(index) * 250_000_000
            let output = try harness.convert(buffer)
            #expect(harness.output("mastering-display-info") == Mastering.p3at(peak))
            #expect(harness.number("target-peak") == Double(peak))
            codes.append(try output.picture(info)[0, 0].x)
        }
        // PQ codes of those peaks.
        #expect(codes == [723, 701, 674, 636, 571])
    }

    /// Without a time stamp there is no stream time, and the setting stays.
    @Test func withoutStamps() throws {
        let library = try #require(ControllerLibrary.shared)
        let harness = try Harness(caps("P010_10LE", "bt2100-pq"), to: want("NV12"))
        let source = try #require(library.makeSource())
        #expect(library.setValue(source, 0, 500) != 0)
        let element = UnsafeMutableRawPointer(harness.element).assumingMemoryBound(to: GstObject.self)
        #expect(gst_object_add_control_binding(element, library.bind(element, "source-peak", source)) != 0)
        gst_object_unref(UnsafeMutableRawPointer(source))
        _ = try harness.convert(PictureCodes.ramp(32, 8, bits: 10))
        #expect(harness.number("source-peak") == 0)
    }
}

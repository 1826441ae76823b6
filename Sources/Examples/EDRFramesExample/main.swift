// A video by frames, in extended dynamic range: an application copies each frame by the time at which the display will
// show it, as linear light, runs a filter of its own on it, and puts it back on the screen.
//
//     EDRFramesExample FILE-or-URI            on the screen; where there is no display, in memory
//     EDRFramesExample FILE-or-URI OUT.mov    into a file, every frame, as long as that takes
//
// Two pipelines: one plays the video for nobody to see and has an output of frames, the other one is the screen.
import CGStreamer
import Glibc
import HDRTap

typealias Element = UnsafeMutablePointer<GstElement>

// MARK: The application's own

/// Light above SDR white (1.0) glows in orange: a pixel keeps as much of its own colour as white has, and what it is
/// brighter than that becomes the glow. No pixel gets brighter than it was, so that the display's headroom is enough.
func glow(_ light: UnsafeMutableBufferPointer<Float16>) {
    for red in stride(from: 0, to: light.count - 3, by: 4) {
        let brightest = max(light[red], light[red + 1], light[red + 2])
        guard brightest > 1 else { continue }
        let excess = brightest - 1
        light[red] = light[red] / brightest + excess
        light[red + 1] = light[red + 1] / brightest + 0.4 * excess
        light[red + 2] = light[red + 2] / brightest + 0.05 * excess
    }
}

/// Light as the screen takes it. GStreamer 1.22 has no format of half floats: edrsink, like any other element, takes
/// codes. Those of PQ (SMPTE ST 2084) in sixteen bits are finer than the steps of half floats that anyone could see.
/// Light below 0, outside of Display P3, has no code and becomes 0.
enum PQ {
    /// The code of every half float.
    static let codes: [UInt16] = (0...UInt16.max).map { half in
        let light = Double(Float16(bitPattern: half))
        guard light > 0 else { return 0 }
        // 1.0 is 203 cd/m2 (BT.2408), and PQ ends at 10000.
        let power = pow(min(light * 203 / 10000, 1), 2610.0 / 16384)
        let signal = pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
        return UInt16((65535 * signal).rounded())
    }
}

/// Half floats become codes in their place.
func encode(_ words: UnsafeMutableBufferPointer<UInt16>) {
    PQ.codes.withUnsafeBufferPointer { codes in
        for red in stride(from: 0, to: words.count - 3, by: 4) {
            for component in red..<red + 3 { words[component] = codes[Int(words[component])] }
            // The screen shows all of every pixel.
            words[red + 3] = .max
        }
    }
}

/// Where frames come from, and where they go.
///
/// The display link calls `refresh` on a thread of its own, one call at a time. The main thread shows the first frame
/// before the link is on, and reads what is counted after the screen has stopped, which ends that thread.
final class FilteredPlayer {
    let player: Element
    let screen: Element
    let source: Element
    let link: Element
    let output: VideoOutput
    /// Whether time stands still while a frame is worked on, so that a slow machine leaves out no frame of a recording.
    let waits: Bool
    private(set) var count = 0

    init(_ uri: String, recording: String?) throws {
        // The queue lets frames pass the tap before their time, as a frame is asked for before it is seen. fakesink
        // keeps the video's time.
        player = make(
            "uridecodebin uri=\(quoted(uri)) ! video/x-raw ! hdrtap name=tap ! "
                + "queue max-size-buffers=8 max-size-bytes=0 max-size-time=0 ! fakesink sync=true")
        let hasDisplay = getenv("WAYLAND_DISPLAY") != nil || getenv("DISPLAY") != nil
        let presenter = hasDisplay && recording == nil ? "auto" : "offscreen"
        // A frame is made for the next refresh, and so shown as soon as it is there.
        var line = "appsrc name=source format=time block=true ! tee name=t ! queue ! "
        line += "edrsink name=screen presenter=\(presenter) sync=false"
        if let recording {
            line += " t. ! queue ! hdrconvert ! video/x-raw,format=I420_10LE,colorimetry=bt2100-pq ! m.video_0 "
            line += "hdrmux-settings name=m preset=hevc-highest-quality content-light-level-info=auto ! "
            line += "filesink async=false location=\(quoted(recording))"
        }
        screen = make(line)
        source = child(screen, "source")
        link = child(screen, "screen")
        waits = recording != nil
        output = try VideoOutput(
            of: child(player, "tap"),
            VideoOutput.Settings(format: "rgba16f", primaries: "display-p3", transfer: "linear"))
    }

    func run() {
        gst_element_set_state(player, GST_STATE_PAUSED)
        gst_element_get_state(player, nil, nil, GstClockTime.max)
        gst_element_set_state(screen, GST_STATE_PLAYING)
        // A window has refreshes from its first picture on. A video need not begin at 0.
        for time in stride(from: UInt64(0), to: 1_000_000_000, by: 1_000_000) where count == 0 { show(at: time) }
        connect()
        gst_util_set_object_arg(object(link), "display-link-paused", "false")
        gst_element_set_state(player, GST_STATE_PLAYING)
        waitForEnd(player)
        gst_util_set_object_arg(object(link), "display-link-paused", "true")
        emit(source, "end-of-stream")
        waitForEnd(screen)
        // In this order: nobody may start the player again.
        gst_element_set_state(screen, GST_STATE_NULL)
        gst_element_set_state(player, GST_STATE_NULL)
    }

    private func connect() {
        let handler: @convention(c) (gpointer?, guint64, guint64, guint64, gpointer?) -> Void = {
            _, _, target, _, data in
            guard let data else { return }
            Unmanaged<FilteredPlayer>.fromOpaque(data).takeUnretainedValue().refresh(UInt64(target))
        }
        g_signal_connect_data(
            link, "display-link", unsafeBitCast(handler, to: GCallback.self), Unmanaged.passUnretained(self).toOpaque(),
            nil, GConnectFlags(rawValue: 0))
    }

    /// What is shown now will be seen at `target`.
    private func refresh(_ target: UInt64) {
        guard let time = output.itemTime(forHostTime: target), output.hasNewFrame(at: time) else { return }
        if waits { gst_element_set_state(player, GST_STATE_PAUSED) }
        show(at: time)
        if waits { gst_element_set_state(player, GST_STATE_PLAYING) }
    }

    private func show(at time: UInt64) {
        guard let frame = output.copyFrame(at: time), let width = frame.number("width"),
            let height = frame.number("height"),
            let buffer = gst_buffer_new_allocate(nil, gsize(8 * width * height), nil)
        else { return }
        defer { gst_buffer_unref(buffer) }
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0 else { return }
        // The frame itself belongs to the output, and is not written to.
        let bytes = UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size))
        frame.withBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(bytes.count))) }
        glow(bytes.bindMemory(to: Float16.self))
        encode(bytes.bindMemory(to: UInt16.self))
        gst_buffer_unmap(buffer, &map)
        buffer.pointee.pts = frame.displayTime.map { GstClockTime($0) } ?? GstClockTime.max
        describe(frame, width, height)
        emit(source, "push-buffer", buffer)
        count += 1
    }

    /// Full range, R'G'B', PQ and Display P3, in GStreamer's numbers; the rate and the shape of pixels are the video's,
    /// and may change in it. appsrc takes caps that are the same as before for none.
    private func describe(_ frame: VideoOutput.Frame, _ width: Int, _ height: Int) {
        var caps = "video/x-raw,format=RGBA64_LE,width=\(width),height=\(height),colorimetry=1:1:14:11"
        let fields = gst_sample_get_caps(frame.sample).flatMap { gst_caps_get_structure($0, 0) }
        for field in ["framerate", "pixel-aspect-ratio"] {
            var (numerator, denominator): (gint, gint) = (0, 1)
            guard let fields, gst_structure_get_fraction(fields, field, &numerator, &denominator) != 0 else { continue }
            caps += ",\(field)=\(numerator)/\(denominator)"
        }
        gst_util_set_object_arg(object(source), "caps", caps)
    }
}

// MARK: GStreamer

func fail(_ text: String, status: Int32 = 1) -> Never {
    "EDRFramesExample: \(text)\n".withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    exit(status)
}

/// A launch line. Its errors end the program, also while the main thread waits for frames that will not come.
func make(_ line: String) -> Element {
    var error: UnsafeMutablePointer<GError>?
    guard let pipeline = gst_parse_launch(line, &error), error == nil else {
        fail(text(error) + "; GST_PLUGIN_PATH has to name the folder of libgsthdr.so")
    }
    let bus = gst_element_get_bus(pipeline)
    gst_bus_set_sync_handler(
        bus,
        { _, message, _ in
            guard let message, message.pointee.type == GST_MESSAGE_ERROR else { return GST_BUS_PASS }
            var (error, details): (UnsafeMutablePointer<GError>?, UnsafeMutablePointer<gchar>?)
            gst_message_parse_error(message, &error, &details)
            let last = details.map { String(cString: $0) }?.split(separator: "\n").last
            if last?.contains("not-linked") == true { fail("there is no video in the file that could be decoded") }
            fail(text(error) + (last.map { " (\($0))" } ?? ""))
        }, nil, nil)
    gst_object_unref(bus)
    return pipeline
}

func text(_ error: UnsafeMutablePointer<GError>?) -> String {
    error.map { String(cString: $0.pointee.message) } ?? "GStreamer does not say why"
}

func waitForEnd(_ pipeline: Element) {
    let bus = gst_element_get_bus(pipeline)
    gst_message_unref(gst_bus_timed_pop_filtered(bus, GstClockTime.max, GST_MESSAGE_EOS))
    gst_object_unref(bus)
}

/// As a value in a launch line.
func quoted(_ text: String) -> String {
    "\"" + text.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
}

/// Elements of a pipeline that this program writes are there, and stay until it ends.
func child(_ pipeline: Element, _ name: String) -> Element {
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    guard let element = gst_bin_get_by_name(bin, name) else { fail("the pipeline has no \(name)") }
    return element
}

func object(_ element: Element) -> UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
}

/// Emits an action signal whose answer says whether the pipeline still flows; where it does not, its bus says why.
func emit(_ element: Element, _ signal: String, _ buffer: UnsafeMutablePointer<GstBuffer>? = nil) {
    var flow = GST_FLOW_OK
    withUnsafeMutablePointer(to: &flow) { flow in
        let number = g_signal_lookup(signal, object(element).pointee.g_type_instance.g_class.pointee.g_type)
        let arguments: [any CVarArg] = buffer.map { [$0, flow] } ?? [flow]
        withVaList(arguments) { g_signal_emit_valist(element, number, 0, $0) }
    }
}

gst_init(nil, nil)
let arguments = Array(CommandLine.arguments.dropFirst())
guard (1...2).contains(arguments.count) else {
    fail("give it these arguments: FILE-or-URI [OUT.mov]", status: 2)
}
var uri = arguments[0]
if gst_uri_is_valid(uri) == 0 {
    guard let name = gst_filename_to_uri(uri, nil) else { fail("\(uri) is no name of a file") }
    uri = String(cString: name)
}
do {
    let player = try FilteredPlayer(uri, recording: arguments.count == 2 ? arguments[1] : nil)
    player.run()
    print("\(player.count) frames, and \(player.output.consumptionRecord.missed) missed")
} catch {
    fail("\(error)")
}

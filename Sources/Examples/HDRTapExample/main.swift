// An application's own audio processing in a pipeline: a tremolo that is attached, controlled and detached while the
// stream plays. The compiler checks that the real-time function neither allocates nor locks.
//
//     swift run HDRTapExample [--play] [FILE or URI]
//
// Without a file, two seconds of a tone are processed as fast as possible; --play makes it audible.
import CGStreamer
import Glibc
import HDRTap

/// Modulates the volume periodically, and reports how loud the result is.
struct Tremolo: ~Copyable, AudioProcessor {
    /// The depth of the modulation, 0 to 1.
    let depth: AudioParameter
    /// The peak of each call.
    let peaks: AudioQueue<Float>
    /// The number of periods per second.
    let frequency: Float = 5
    private var phase: Float = 0
    private var step: Float = 0

    init(depth: borrowing AudioParameter, peaks: borrowing AudioQueue<Float>) {
        self.depth = depth.share()
        self.peaks = peaks.share()
    }

    deinit { print("released") }

    mutating func prepare(_ format: AudioFormat, maxFrames: Int) throws -> AudioDelay {
        step = frequency / Float(format.rate)
        print("prepared for \(maxFrames) frames of \(format.channels) channels at \(format.rate) Hz, \(format.name)")
        return .none
    }

    @_noLocks mutating func process(_ context: inout AudioContext) {
        let source = context.pull()
        if source.flags.contains(.startOfStream) { phase = 0 }
        let depth = depth.value
        let begin = phase
        var peak: Float = 0
        for channel in 0..<context.format.channels {
            let samples = context.samples(channel)
            phase = begin
            for frame in samples.indices {
                // The modulation is a triangle from 0 to 1 and back.
                samples[frame] *= 1 - depth * (1 - abs(2 * phase - 1))
                peak = max(peak, abs(samples[frame]))
                phase += step
                if phase >= 1 { phase -= 1 }
            }
        }
        // A full queue loses a level, so that no thread waits.
        _ = peaks.enqueue(peak)
    }
}

/// The stream, its tap, and the changes that are made as it plays.
final class Player {
    let tap: UnsafeMutablePointer<GstElement>
    let depth = AudioParameter(0)
    let peaks = AudioQueue<Float>(capacity: 256)
    let attached: AudioTap<Tremolo>

    init(_ tap: UnsafeMutablePointer<GstElement>) throws {
        self.tap = tap
        attached = try AudioTap(Tremolo(depth: depth, peaks: peaks), on: tap)
    }

    /// Taps may be changed on any thread, at any time. Here the streaming thread changes them, at an exact time of the
    /// stream.
    func watch(_ pad: UnsafeMutablePointer<GstPad>) {
        _ = gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { _, info, data in
                guard let data, let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
                let player = Unmanaged<Player>.fromOpaque(data).takeUnretainedValue()
                let time = buffer.pointee.pts
                if time >= 700_000_000 { player.depth.value = 0.8 }
                if time >= 1_400_000_000 { player.attached.detach() }
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    func printPeaks() {
        var loudest: [Float] = []
        while let peak = peaks.dequeue() { loudest.append((peak * 100).rounded() / 100) }
        print("\(loudest.count) calls, peak from \(loudest.min() ?? 0) to \(loudest.max() ?? 0)")
    }
}

func fail(_ error: UnsafeMutablePointer<GError>?) -> Never {
    print(error.map { String(cString: $0.pointee.message) } ?? "unknown error")
    exit(1)
}

/// The source of the pipeline, as a launch line.
func source(_ file: String?) -> String {
    guard let file else {
        return "audiotestsrc volume=0.5 num-buffers=94 ! audio/x-raw,rate=48000,channels=2"
    }
    if gst_uri_is_valid(file) != 0 { return "uridecodebin uri=\"\(file)\"" }
    var error: UnsafeMutablePointer<GError>?
    guard let uri = gst_filename_to_uri(file, &error) else { fail(error) }
    defer { g_free(uri) }
    return "uridecodebin uri=\"\(String(cString: uri))\""
}

gst_init(nil, nil)
let arguments = CommandLine.arguments.dropFirst()
let sink = arguments.contains("--play") ? "autoaudiosink" : "fakesink sync=false"
let line = """
    \(source(arguments.first { $0 != "--play" })) ! audioconvert ! audio/x-raw,format=F32LE \
    ! hdrtap name=tap ! audioconvert ! audioresample ! \(sink)
    """
var error: UnsafeMutablePointer<GError>?
guard let pipeline = gst_parse_launch(line, &error), error == nil else { fail(error) }
let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
guard let tap = gst_bin_get_by_name(bin, "tap") else { fail(nil) }

let player = try Player(tap)
guard let pad = gst_element_get_static_pad(tap, "sink") else { fail(nil) }
player.watch(pad)

gst_element_set_state(pipeline, GST_STATE_PLAYING)
let bus = gst_element_get_bus(pipeline)
let ends = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
let message = gst_bus_timed_pop_filtered(bus, GstClockTime.max, ends)
if let message, message.pointee.type == GST_MESSAGE_ERROR {
    gst_message_parse_error(message, &error, nil)
    fail(error)
}
player.printPeaks()
gst_message_unref(message)
gst_element_set_state(pipeline, GST_STATE_NULL)
// In a stream that ended early the tap is still attached.
player.attached.detach()
gst_object_unref(pad)
gst_object_unref(bus)
gst_object_unref(tap)
gst_object_unref(pipeline)

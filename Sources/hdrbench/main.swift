import CGStreamer
import Glibc

// Measures the elements of this project beside GStreamer's own.

let usage = """
    Usage: hdrbench tap [--starts N] [--buffers N] [--json]

      tap            hdrtap on stereo F32 at 48 kHz, 1024 frames a buffer, beside identity, audiochebband, equalizer-3bands
      --starts N     processes to start, whose median counts (5)
      --buffers N    buffers for each subject and process (20000)
      --json         JSON in place of a table

    GST_PLUGIN_PATH has to name the folder of libgsthdr.so.
    """

func say(_ text: String) { _ = text.withCString { write(2, $0, strlen($0)) } }

func fail(_ text: String) -> Never {
    say("hdrbench: \(text)\n")
    exit(1)
}

/// The words of the command line that are left.
struct Words {
    var left = Array(CommandLine.arguments.dropFirst())

    mutating func number(after option: String, or other: Int) -> Int {
        guard let index = left.firstIndex(of: option) else { return other }
        guard index + 1 < left.count, let value = Int(left[index + 1]), value > 0 else {
            fail("\(option) wants a number above 0")
        }
        left.removeSubrange(index...(index + 1))
        return value
    }

    mutating func flag(_ option: String) -> Bool {
        guard let index = left.firstIndex(of: option) else { return false }
        left.remove(at: index)
        return true
    }
}

var words = Words()
if words.flag("--help") || words.flag("-h") {
    print(usage)
    exit(0)
}
let starts = words.number(after: "--starts", or: 5)
let buffers = words.number(after: "--buffers", or: 20_000)
let wantsJSON = words.flag("--json")
let isChild = words.flag("--once")
guard words.left == ["tap"] else {
    let asked = words.left.joined(separator: " ")
    fail("\(asked.isEmpty ? "say what to measure" : "cannot measure \(asked)")\n\(usage)")
}

if isChild {
    gst_init(nil, nil)
    do {
        for result in try TapBench.measure(buffers: buffers) { print("\(result.nanoseconds)\t\(result.name)") }
    } catch {
        fail("\(error)")
    }
    exit(0)
}

/// Runs this program once more and reads its measurements.
func start(buffers: Int) -> [(name: String, nanoseconds: Double)] {
    var path = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    guard length > 0 else { fail("cannot find my own file") }
    let program = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let pipe = popen("'\(program)' tap --once --buffers \(buffers)", "r") else { fail("cannot start myself") }
    defer { pclose(pipe) }
    var results: [(String, Double)] = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), pipe) != nil {
        let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let parts = text.split(separator: "\t", maxSplits: 1)
        if parts.count == 2, let time = Double(parts[0]) { results.append((String(parts[1]), time)) }
    }
    return results
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}

gst_init(nil, nil)
guard let factory = gst_element_factory_find("hdrtap") else {
    fail("GStreamer finds no hdrtap: run meson-wrap/build-plugin and export GST_PLUGIN_PATH=$PWD/build/plugins")
}
gst_object_unref(UnsafeMutableRawPointer(factory))
let runs = (0..<starts).map { run in
    if isatty(2) != 0 { say("\rhdrbench: start \(run + 1) of \(starts)") }
    return start(buffers: buffers)
}
if isatty(2) != 0 { say("\r\u{1B}[K") }
guard let first = runs.first, !first.isEmpty else { exit(1) }
let budget = Double(TapBench.frames) / Double(TapBench.rate) * 1e9
let idle = median(runs.compactMap { $0.first?.nanoseconds })

func fixed(_ value: Double, _ digits: Int, width: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int((value * scale).rounded())
    var text = "\(digits == 0 ? whole : whole / Int(scale))"
    if digits > 0 { text += "." + String("\(abs(whole) % Int(scale) + Int(scale))".dropFirst()) }
    return String(repeating: " ", count: max(0, width - text.count)) + text
}

if wantsJSON { print("[") } else { print("    ns/buffer  over identity   x real time   spread") }
for (index, subject) in first.enumerated() {
    let times = runs.compactMap { $0.count > index ? $0[index].nanoseconds : nil }
    let time = median(times)
    let spread = ((times.max() ?? time) - (times.min() ?? time)) / time * 100
    if wantsJSON {
        print(
            "  {\"name\": \"\(subject.name)\", \"nanoseconds_per_buffer\": \(time), \"over_identity\": \(time - idle), "
                + "\"times_real_time\": \(budget / time), \"spread_percent\": \(spread), \"starts\": \(times.count)}"
                + (index + 1 < first.count ? "," : ""))
    } else {
        print(
            "\(fixed(time, 0, width: 13))\(fixed(time - idle, 0, width: 15))\(fixed(budget / time, 0, width: 14))"
                + "\(fixed(spread, 0, width: 7)) %  \(subject.name)")
    }
}
if wantsJSON { print("]") }

import CGStreamer
import Glibc

/// This program, started anew for each measurement: the addresses of memory and code differ between starts, and with
/// them speed.
enum ChildMeasurement {
    /// Marks a process that measures and prints what it found for its parent.
    static let option = Option.flag("--once")

    /// Runs `hdr bench` once more and passes on each line that it prints, split into fields. Its messages go to this
    /// program's standard error.
    /// - Throws: why it did not measure, and ``Interruption``, which ends it.
    static func run(_ arguments: [String], each: ([String]) -> Void) throws {
        let words = ["bench"] + arguments + option.names
        guard let child = ChildProcess(words.map { Array($0.utf8CString) }, isQuiet: false) else {
            throw Failure("cannot start a measuring process")
        }
        var line: [UInt8] = []
        while let bytes = try child.read() {
            for byte in bytes {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                each(String(decoding: line, as: UTF8.self).split(separator: "\t").map(String.init))
                line = []
            }
        }
        switch try child.end() {
        case .status(0): return
        case .status, .stuck: throw Failure.alreadyReported
        case .signal(let signal): throw Failure("signal \(signal) ended a measuring process")
        }
    }

    /// A line for ``run(_:each:)``, on its way at once.
    static func report(_ fields: [String]) { Output.write(fields.joined(separator: "\t") + "\n") }
}

/// Fails where GStreamer does not find an element of this project.
func requireElement(_ name: String) throws(Failure) {
    gst_init(nil, nil)
    guard let factory = gst_element_factory_find(name) else {
        throw Failure(
            "GStreamer finds no \(name): run meson-wrap/build-plugin and export GST_PLUGIN_PATH=$PWD/build/plugins")
    }
    gst_object_unref(UnsafeMutableRawPointer(factory))
}

import CGStreamer
import Glibc

/// This program, started anew for each measurement: where memory and code lie differs between starts, and with it speed.
enum Processes {
    /// Marks a process that measures and prints what it found for its parent.
    static let childFlag = "--once"

    /// Runs this program once more and hands over each line that it prints, in fields.
    ///
    /// Its messages go where this program's go; where it fails, this program ends.
    /// - Parameter arguments: words without quotes in them.
    static func start(_ arguments: [String], each: ([String]) -> Void) {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        guard length > 0 else { fail("cannot find my own file") }
        let program = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let words = ([program] + arguments + [childFlag]).map { "'\($0)'" }
        guard let pipe = popen("exec " + words.joined(separator: " "), "r") else { fail("cannot start myself") }
        var line = [CChar](repeating: 0, count: 1024)
        while fgets(&line, Int32(line.count), pipe) != nil {
            let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
            each(String(decoding: bytes, as: UTF8.self).split(separator: "\t").map(String.init))
        }
        let status = pclose(pipe)
        let signal = status & 0x7f
        if signal != 0 { fail("signal \(signal) ended a measuring process") }
        // A child that ends by itself with an error has said why.
        if status != 0 { exit(1) }
    }

    /// A line for ``start(_:each:)``, on its way at once.
    static func report(_ fields: [String]) {
        print(fields.joined(separator: "\t"))
        fflush(nil)
    }

    /// Ends the program where GStreamer does not find an element of this project.
    static func require(_ element: String) {
        gst_init(nil, nil)
        guard let factory = gst_element_factory_find(element) else {
            fail(
                "GStreamer finds no \(element): run meson-wrap/build-plugin and export "
                    + "GST_PLUGIN_PATH=$PWD/build/plugins")
        }
        gst_object_unref(UnsafeMutableRawPointer(factory))
    }
}

/// What is being done, in one line of a terminal. Files and pipes get nothing.
enum Progress {
    static func show(_ text: String) {
        if isatty(2) != 0 { say("\r\u{1B}[Khdrbench: \(text)") }
    }

    static func clear() {
        if isatty(2) != 0 { say("\r\u{1B}[K") }
    }
}

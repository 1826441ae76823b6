import Foundation
import PluginSupport
import TestSupport
import Testing

/// Pictures that both `hdrx265enc` and the program `x265` encode.
struct X265Clip {
    /// A raw format, and what YUV4MPEG2 calls its samples.
    var format = "I420_10LE"
    var samples = "420p10"
    var depth = 10
    var width = 256
    var height = 144
    var frames = 40
    /// Further fields of the caps, each with a comma before it.
    var fields = ",colorimetry=bt2100-pq"

    static let hasProgram = Command.exists("x265")

    var caps: String {
        "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=30/1\(fields)"
    }

    /// Makes the pictures in a format: `clip.yuv`, and `clip.y4m` for the program.
    func make(in folder: TemporaryFolder) throws {
        let line = """
            videotestsrc num-buffers=\(frames) pattern=ball motion=sweep ! \(caps) !
            filesink location=\(folder.path("clip.yuv"))
            """
        expectClean(try GstTool.launch(line))
        let data = try folder.data("clip.yuv")
        var file = Data("YUV4MPEG2 W\(width) H\(height) F30:1 Ip A1:1 C\(samples)\n".utf8)
        let size = data.count / frames
        for index in 0..<frames {
            file += Data("FRAME\n".utf8)
            file += data[(index * size)..<((index + 1) * size)]
        }
        try file.write(to: folder.url("clip.y4m"))
    }

    /// Encodes by the element into a file.
    func encode(
        _ properties: String, in folder: TemporaryFolder, as name: String = "element.h265",
        from file: String = "clip.yuv",
        format: String? = nil, environment: [String: String] = [:]
    ) throws -> Data {
        var copy = self
        copy.format = format ?? self.format
        let size = try folder.data(file).count / frames
        let line = """
            filesrc location=\(folder.path(file)) blocksize=\(size) ! \(copy.caps) ! hdrx265enc \(properties) !
            filesink location=\(folder.path(name))
            """
        expectClean(try GstTool.launch(line, environment: environment, timeout: 120))
        return try folder.data(name)
    }

    /// Encodes by the program, which reads from a pipe: of a file it would know how many pictures come, and spread its
    /// bit rate by that.
    func encodeByProgram(_ options: String, in folder: TemporaryFolder) throws -> Data {
        let line = """
            x265 --y4m --input - --output-depth \(depth) \(options) -o '\(folder.path("program.h265"))' \
            <'\(folder.path("clip.y4m"))'
            """
        let outcome = try Command("/bin/sh", ["-c", line]).runToEnd()
        guard outcome.status == 0 else { throw TestFailure("\(outcome)") }
        return try folder.data("program.h265")
    }
}

/// NAL units of a byte stream.
struct NALUnits {
    /// Each without its start code.
    let units: [Data]

    init(_ stream: Data) {
        var found: [Data] = []
        let bytes = [UInt8](stream)
        var start: Int?
        var index = 0
        while index + 3 <= bytes.count {
            guard bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 else {
                index += 1
                continue
            }
            if let start { found.append(Data(bytes[start..<index]).trimmingZeros) }
            start = index + 3
            index += 3
        }
        if let start { found.append(Data(bytes[start...])) }
        units = found
    }

    /// nal_unit_type of each.
    var types: [UInt8] { units.map { ($0.first ?? 0) >> 1 } }

    /// The payloads of SEI messages of a type, without emulation prevention. Each unit holds one message.
    func messages(_ type: UInt8) -> [[UInt8]] {
        units.compactMap { unit in
            guard (unit.first ?? 0) >> 1 == 39, unit.count > 4 else { return nil }
            var bytes: [UInt8] = []
            var zeros = 0
            for byte in unit.dropFirst(2) {
                if zeros >= 2, byte == 3 {
                    zeros = 0
                    continue
                }
                zeros = byte == 0 ? zeros + 1 : 0
                bytes.append(byte)
            }
            guard bytes.first == type, bytes.count > 2 else { return nil }
            return Array(bytes.dropFirst(2).prefix(Int(bytes[1])))
        }
    }
}

extension Data {
    /// Zeros at the end belong to the next start code.
    fileprivate var trimmingZeros: Data {
        var end = endIndex
        while end > startIndex, self[end - 1] == 0 { end -= 1 }
        return Data(self[startIndex..<end])
    }
}

/// Why a caps string cannot be read.
public struct CapsTextError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
}

extension MasteringDisplay {
    /// GStreamer's caps field `mastering-display-info`: `Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min`, in steps of 0.00002 and
    /// 0.0001 cd/m².
    public init(capsText: String) throws(CapsTextError) {
        let fields = try CapsText(
            capsText, name: "mastering-display-info",
            fields: ["Rx", "Ry", "Gx", "Gy", "Bx", "By", "Wx", "Wy", "max", "min"],
            example: "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50")
        self.init(
            red: try fields.pair(0), green: try fields.pair(2), blue: try fields.pair(4), white: try fields.pair(6),
            maximum: try fields.number(8), minimum: try fields.number(9))
    }

    public var capsText: String {
        let points = [red, green, blue, white].map { "\($0.x):\($0.y)" }.joined(separator: ":")
        return "\(points):\(maximum):\(minimum)"
    }
}

extension ContentLightLevel {
    /// GStreamer's caps field `content-light-level`: `MaxCLL:MaxFALL` in cd/m².
    public init(capsText: String) throws(CapsTextError) {
        let fields = try CapsText(
            capsText, name: "content-light-level", fields: ["MaxCLL", "MaxFALL"], example: "1000:400")
        let levels: SIMD2<UInt16> = try fields.pair(0)
        self.init(maximum: levels.x, frameAverage: levels.y)
    }

    public var capsText: String { "\(maximum):\(frameAverage)" }
}

/// A caps string of whole numbers with colons between them.
private struct CapsText {
    private let name: String
    private let fields: [String]
    private let values: [Substring]

    init(_ text: String, name: String, fields: [String], example: String) throws(CapsTextError) {
        // One field more than wanted is enough to know that there are too many.
        values = text.split(separator: ":", maxSplits: fields.count, omittingEmptySubsequences: false)
        self.name = name
        self.fields = fields
        guard values.count == fields.count else {
            let count = values.count > fields.count ? "more" : "only \(values.count)"
            throw CapsTextError(
                description: """
                    \(name) has \(count) of \(fields.count) numbers: write \(fields.joined(separator: ":")), such as \
                    \(example)
                    """)
        }
    }

    func number<Value: FixedWidthInteger>(_ index: Int) throws(CapsTextError) -> Value {
        let text = values.indices.contains(index) ? values[index] : ""
        let field = fields.indices.contains(index) ? fields[index] : ""
        // Int's own parser would take a sign.
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Value(text) else {
            throw CapsTextError(
                description: """
                    \(name): number \(index + 1) (\(field)) is '\(text.prefix(20))', which is not a whole number from 0 \
                    to \(Value.max)
                    """)
        }
        return value
    }

    func pair(_ index: Int) throws(CapsTextError) -> SIMD2<UInt16> {
        SIMD2(try number(index), try number(index + 1))
    }
}

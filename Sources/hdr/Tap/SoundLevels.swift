import HDRPipeline

/// The measurements of the effect `meter` for a whole file.
struct SoundLevels: Sendable {
    /// The highest of all channels, in dB below full scale.
    private(set) var peak: Double?
    private(set) var truePeak: Double?
    /// The whole programme's loudness by EBU R 128, in LUFS.
    private(set) var loudness: Double?

    mutating func note(_ message: Structure) {
        guard message.name == "meter" else { return }
        func highest(_ field: String, _ before: Double?) -> Double? {
            let values = message[field, as: [Double].self] ?? []
            return (values + [before].compactMap { $0 }).max()
        }
        peak = highest("peak", peak)
        truePeak = highest("true-peak", truePeak)
        loudness = message["integrated", as: Double.self] ?? loudness
    }

    var isEmpty: Bool { peak == nil && truePeak == nil && loudness == nil }

    /// The levels as readable text.
    var text: String {
        func level(_ name: String, _ value: Double?, _ unit: String) -> String? {
            value.map { "\(name) \($0.isFinite ? $0.fixed(1) : "-inf") \(unit)" }
        }
        return [
            level("peak", peak, "dBFS"), level("true peak", truePeak, "dBTP"), level("loudness", loudness, "LUFS"),
        ].compactMap { $0 }.joined(separator: ", ")
    }

    var json: JSON {
        .object([
            ("peak", .optional(peak, JSON.decimal)), ("true-peak", .optional(truePeak, JSON.decimal)),
            ("loudness", .optional(loudness, JSON.decimal)),
        ])
    }
}

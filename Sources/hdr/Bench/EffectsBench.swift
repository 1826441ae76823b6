/// Measures video effects, beside conversions of the same frames and GStreamer's own effects.
struct EffectsBench {
    let options: EffectsOptions

    /// Named in the table, and what ratios are of. To SDR it is the default conversion, without measuring the pictures.
    static let hlg = "hdrconvert, PQ to HLG"
    static let sdr = "hdrconvert, PQ to SDR"
    static let sepia = "hdrtap, sepia"
    /// The base of chains that give alpha, whose planes cost both of them the same.
    static let sepiaWithAlpha = "hdrtap, sepia, with alpha"

    /// Whether a chain's frames have alpha: `chroma-key` takes no others.
    static func hasAlpha(_ chain: String) -> Bool { chain.contains("chroma-key") }

    private struct Subject {
        let name: String
        let line: String
        let from: Signal
        let to: Signal
    }

    /// The launch line of a chain; an effect with look-up tables gets one of 33 nodes, in PQ.
    private func line(_ chain: String, table: HiddenFile) -> String {
        var line = "hdrtap n-threads=1 effect=\(chain)"
        for (index, effect) in chain.split(separator: ",").enumerated() where effect == "lut" {
            line += " effect_\(index)::location=\(table.path) effect_\(index)::shaper=pq"
        }
        return line
    }

    private static func table() throws(Failure) -> HiddenFile {
        var text = "LUT_3D_SIZE 33\n"
        for blue in 0..<33 {
            for green in 0..<33 {
                for red in 0..<33 {
                    text += [red, green, blue].map { (Double($0 * $0) / 1024).fixed(6) }.joined(separator: " ") + "\n"
                }
            }
        }
        return try HiddenFile(Array(text.utf8), purpose: "a table of colours", remedy: "set TMPDIR")
    }

    private func subjects(table: HiddenFile) -> [Subject] {
        let pq = Signal("P010_10LE", "bt2100-pq")
        let convert = "hdrconvert n-threads=1"
        var all = [
            Subject(
                name: Self.hlg, line: "\(convert) peak-detection=off", from: pq, to: Signal("P010_10LE", "bt2100-hlg")),
            Subject(
                name: Self.sdr, line: "\(convert) peak-detection=off", from: pq, to: Signal("NV12", "bt709")),
            Subject(
                name: "hdrconvert, PQ to SDR, bt2390, clip",
                line: "\(convert) tone-mapping=bt2390 gamut-mapping=clip peak-detection=off", from: pq,
                to: Signal("NV12", "bt709")),
        ]
        let withAlpha = Signal("A420_10LE", "bt2100-pq")
        if options.chains.contains(where: Self.hasAlpha) {
            all.append(
                Subject(
                    name: Self.sepiaWithAlpha, line: line("sepia", table: table), from: withAlpha, to: withAlpha))
        }
        for chain in options.chains {
            let signal = Self.hasAlpha(chain) ? withAlpha : pq
            all.append(
                Subject(name: "hdrtap, \(chain)", line: line(chain, table: table), from: signal, to: signal))
        }
        let sdr = Signal("AYUV", "bt709")
        all += [
            Subject(name: "coloreffects, sepia, 8 bits", line: "coloreffects preset=sepia", from: sdr, to: sdr),
            Subject(
                name: "videobalance, saturation, 8 bits", line: "videobalance saturation=0.5",
                from: Signal("NV12", "bt709"), to: Signal("NV12", "bt709")),
        ]
        return all
    }

    func measure() throws(Failure) -> [MeasuredSubject] {
        let table = try Self.table()
        var works: [(name: String, work: any FrameWork)] = []
        for subject in subjects(table: table) {
            let source = try SourceFrames(
                subject.from, width: options.width, height: options.height, content: .natural, count: 2)
            let target = subject.to.caps(width: options.width, height: options.height)
            works.append((subject.name, try VideoFeeder(subject.line, from: source, to: target)))
        }
        return try MeasuredSubject.inTurns(works, frames: options.frames)
    }
}

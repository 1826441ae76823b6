/// What effects on video cost, beside conversions of the same frames and GStreamer's own effects.
struct EffectsBench {
    let options: EffectsOptions

    struct Result {
        let name: String
        /// Of a frame in ns.
        let time: Clock
    }

    /// Named in the table, and what ratios are of. To SDR it is the default conversion, without measuring the pictures.
    static let hlg = "hdrconvert, PQ to HLG"
    static let sdr = "hdrconvert, PQ to SDR"
    static let sepia = "hdrtap, sepia"

    private struct Subject {
        let name: String
        let line: String
        let from: Signal
        let to: Signal
    }

    private var subjects: [Subject] {
        let pq = Signal("P010_10LE", "bt2100-pq")
        let convert = "hdrconvert n-threads=1"
        var all = [
            Subject(name: Self.hlg, line: convert, from: pq, to: Signal("P010_10LE", "bt2100-hlg")),
            Subject(
                name: Self.sdr, line: "\(convert) peak-detection=off", from: pq, to: Signal("NV12", "bt709")),
            Subject(
                name: "hdrconvert, PQ to SDR, bt2390, clip",
                line: "\(convert) tone-mapping=bt2390 gamut-mapping=clip peak-detection=off", from: pq,
                to: Signal("NV12", "bt709")),
        ]
        for chain in options.chains {
            all.append(
                Subject(name: "hdrtap, \(chain)", line: "hdrtap n-threads=1 effect=\(chain)", from: pq, to: pq))
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

    /// All take turns, a frame each, so that other load on the machine affects all of them equally.
    func measure() throws(Failure) -> [Result] {
        var works: [(String, any FrameWork)] = []
        for subject in subjects {
            let source = try SourceFrames(
                subject.from, width: options.width, height: options.height, content: .natural, count: 2)
            let target = subject.to.caps(width: options.width, height: options.height)
            works.append((subject.name, try VideoFeeder(subject.line, from: source, to: target)))
        }
        var times = [[Clock]](repeating: [], count: works.count)
        for round in 0..<(options.frames + 2) {
            for (index, work) in works.enumerated() {
                let spent = try work.1.run(frames: 1)
                if round >= 2 { times[index].append(spent) }
            }
        }
        return zip(works, times).map { work, times in
            Result(
                name: work.0, time: Clock(wall: times.map(\.wall).median, processor: times.map(\.processor).median))
        }
    }
}

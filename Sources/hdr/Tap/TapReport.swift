import HDRPipeline

/// The result for one input.
struct TapReport {
    let job: TapJob
    let sound: SoundFile
    let settings: TapSettings
    var curve: SweepCurve?
    /// The launch line of what would be done; `nil` where it is done.
    var line: String?
    var levels = SoundLevels()
    /// The length of the audio that has passed, in ns.
    var position: UInt64 = 0
    /// Seconds that it took.
    var elapsed = 0.0

    private var speed: Double { Double(position) / 1e9 / max(elapsed, 0.001) }

    private var deed: String {
        var what = settings.effects.names.joined(separator: ", ")
        if let curve, let sweep = settings.sweep {
            what = "centre \(curve.start.plain) to \(curve.end.plain) Hz, \(sweep.bandwidth.plain) cents wide"
        }
        return "\(what), \(Time.clock(position))"
    }

    var text: String {
        if let line { return line + "\n" }
        var lines: [String] = []
        if let output = job.output {
            lines.append(
                "Wrote \(output.shown): \(deed); took \(elapsed.fixed(1)) s (\(speed.fixed(1))x real time)")
        } else {
            lines.append("Played \(sound.name): \(deed)")
        }
        if !levels.isEmpty { lines.append("Levels: \(levels.text)") }
        if let picture = job.picture {
            lines.append("Wrote \(picture.shown): the spectrogram before, and below it after")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    var json: JSON {
        let sweep = curve.map { curve in
            JSON.object([
                ("from", .decimal(curve.start)), ("to", .decimal(curve.end)),
                ("bandwidth", .optional(settings.sweep?.bandwidth, JSON.decimal)),
            ])
        }
        let plan: [(String, JSON)] = [
            ("input", .string(sound.isMade ? sound.name : sound.file.description)),
            ("output", .text(job.output?.description)), ("picture", .text(job.picture?.description)),
            ("effects", .array(settings.effects.names.map(JSON.string))), ("sweep", sweep ?? .null),
            ("rate", .integer(sound.rate)), ("channels", .integer(sound.channels)),
        ]
        if let line { return .object(plan + [("line", .string(line))]) }
        return .object(
            plan + [
                ("levels", levels.isEmpty ? .null : levels.json), ("duration", .decimal(Double(position) / 1e9)),
                ("elapsed", .decimal(elapsed)), ("speed", .decimal(speed)),
            ])
    }

    /// The JSON of an input that failed.
    static func json(_ input: FileName, _ error: any Error) -> JSON {
        .object([("input", .string(input.description)), ("error", .string(Reason.text(error)))])
    }
}

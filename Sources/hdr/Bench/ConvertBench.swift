/// Measures conversions in this process.
struct ConvertBench {
    let options: ConvertOptions

    /// The key of a row in the report; the instruction set is that of the process.
    struct Subject: Hashable {
        let conversion: String
        let element: String
        let tone: String?
        let quality: String?
        let threads: Int
    }

    /// Time of a frame in ns.
    struct Measurement {
        let subject: Subject
        let time: Clock
        /// Bytes read and written for a frame.
        let bytes: Int
    }

    /// Several frames, so that none is still in a cache when its turn comes again.
    private static let distinctFrames = 4
    /// Memory is touched, tables are made and clocks rise in rounds that do not count.
    private static let warmUps = 2

    private struct Runner {
        let subject: Subject
        let work: any FrameWork
        /// Gets one frame in every other round.
        let isSlow: Bool
    }

    func measure(_ conversion: Conversion) throws(Failure) -> [Measurement] {
        let source = try SourceFrames(
            conversion.source, width: options.width, height: options.height, content: options.content,
            count: Self.distinctFrames, profile: conversion.profile)
        let target = conversion.target.caps(width: options.width, height: options.height)
        let bytes = source.size + Int(try SourceFrames.info(target).size)
        let times = try measure(try runners(conversion, source, target, moved: bytes))
        return times.map { Measurement(subject: $0.0, time: $0.1, bytes: bytes) }
    }

    private func runners(
        _ conversion: Conversion, _ source: SourceFrames, _ target: String, moved: Int
    ) throws(Failure) -> [Runner] {
        var runners: [Runner] = []
        let tones: [String?] = conversion.tones.map { options.tones ?? $0 } ?? [nil]
        for tone in tones {
            for threads in options.threads {
                for quality in options.qualities {
                    let line = conversion.line(tone: tone, quality: quality, threads: threads)
                    runners.append(
                        Runner(
                            subject: Subject(
                                conversion: conversion.name, element: "hdrconvert", tone: tone, quality: quality,
                                threads: threads),
                            work: try VideoFeeder(line, from: source, to: target), isSlow: quality == "reference"))
                }
            }
        }
        for threads in options.threads {
            guard let line = conversion.peerLine(threads: threads) else { continue }
            runners.append(
                Runner(
                    subject: Subject(
                        conversion: conversion.name, element: "videoconvert", tone: nil, quality: nil,
                        threads: threads),
                    work: try VideoFeeder(line, from: source, to: target), isSlow: true))
        }
        runners.append(
            Runner(
                subject: Subject(
                    conversion: conversion.name, element: "memcpy", tone: nil, quality: nil, threads: 1),
                work: MemoryCopy(moved: moved, sources: Self.distinctFrames), isSlow: false))
        return runners
    }

    /// All take turns, a few frames each, so that other load on the machine affects all of them equally.
    private func measure(_ runners: [Runner]) throws(Failure) -> [(Subject, Clock)] {
        let rounds = min(options.frames, 12)
        let batch = (options.frames + rounds - 1) / rounds
        var times = [[Clock]](repeating: [], count: runners.count)
        for round in 0..<(Self.warmUps + rounds) {
            for (index, runner) in runners.enumerated() where !runner.isSlow || round % 2 == 0 {
                let frames = runner.isSlow ? 1 : batch
                let spent = try runner.work.run(frames: frames)
                if round >= Self.warmUps { times[index].append(spent / Double(frames)) }
            }
        }
        // The median is not affected by rounds in which the machine did something else.
        return zip(runners, times).map { runner, times in
            (
                runner.subject, Clock(wall: times.map(\.wall).median, processor: times.map(\.processor).median)
            )
        }
    }
}

extension ConvertBench.Measurement {
    /// The fields as words for another process.
    var fields: [String] {
        [
            subject.conversion, subject.element, subject.tone ?? "-", subject.quality ?? "-", "\(subject.threads)",
            "\(time.wall)", "\(time.processor)", "\(bytes)",
        ]
    }

    init?(fields: [String]) {
        guard fields.count == 8, let threads = Int(fields[4]), let wall = Double(fields[5]),
            let processor = Double(fields[6]), let bytes = Int(fields[7])
        else { return nil }
        func name(_ field: String) -> String? { field == "-" ? nil : field }
        subject = ConvertBench.Subject(
            conversion: fields[0], element: fields[1], tone: name(fields[2]), quality: name(fields[3]),
            threads: threads)
        time = Clock(wall: wall, processor: processor)
        self.bytes = bytes
    }
}

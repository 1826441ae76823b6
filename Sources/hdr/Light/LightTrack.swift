import HDRConcurrency
import HDRPipeline

/// The light of each frame of a video, measured in one pass over all of its pixels.
struct LightTrack {
    struct Point: Sendable {
        /// The time in the file, in ns.
        let time: UInt64
        /// The brightest pixel and the average in cd/m², of the largest of each pixel's R, G and B: CTA-861.3 Annex A.
        let maximum: Double
        let average: Double
        /// The 99.9th percentile of the pixels, in cd/m².
        let high: Double
    }

    let points: [Point]

    /// MaxCLL in cd/m².
    var maximum: Double { points.map(\.maximum).max() ?? 0 }
    /// MaxFALL in cd/m².
    var frameAverage: Double { points.map(\.average).max() ?? 0 }

    /// Checks whether a video can be measured, as far as its beginning shows.
    static func look(at input: FileName, assumed: String?, range: TimeRange) async throws {
        let probe = try await FileProbe(input, assumed: assumed)
        guard probe.video != nil else { throw Failure.noVideo(input.shown) }
        if range.length(of: probe.info.duration) == 0 { throw nothing(of: input) }
    }

    private static func nothing(of input: FileName) -> Failure { Failure("\(input.shown) has no frames there") }

    func plot(title: String) -> LightPlot {
        LightPlot(
            title: title, times: points.map(\.time),
            series: [
                .init(color: [46, 92, 140], isFilled: true, values: points.map(\.average)),
                .init(color: [240, 200, 90], values: points.map(\.high)),
                .init(color: [235, 90, 70], values: points.map(\.maximum)),
            ])
    }

    init(_ input: FileName, assumed: String?, range: TimeRange, _ progress: ProgressLine) async throws {
        let pipeline = try Pipeline(
            "queue name=entry max-size-buffers=4 ! hdrtap effect=statistics effect_0::histogram=false "
                + "effect_0::percentiles=\"<99.9>\" ! fakesink sync=false")
        let source = try FileSource.make(input, assumed: assumed, range: range)
        try pipeline.add(source)
        let entry = try pipeline["entry"].pad("sink")
        let hasVideo = Locked<Bool?>(nil)
        let connections = [
            try source.on("pad-added") { arguments in
                guard let pad: Pad = arguments[0], pad.name == "video_0" else { return }
                hasVideo.withLock { $0 = true }
                _ = try? pad.link(to: entry)
            },
            try source.on("no-more-pads") { _ in hasVideo.withLock { $0 = $0 ?? false } },
        ]
        defer { withExtendedLifetime(connections) {} }
        var points: [Point] = []
        var count = ProgressLine.Count()
        defer { progress.clear() }
        do {
            try await Run.play(
                pipeline,
                tick: {
                    if hasVideo.current == false { throw Failure.noVideo(input.shown) }
                    if progress.duration == nil, hasVideo.current != nil {
                        progress.duration = range.length(of: try FileSource.info(source).duration)
                    }
                    try progress.show(count, of: input.shown)
                    return true
                },
                hear: { message in
                    guard case .element(let found) = message.kind, found.name == "statistics",
                        let point = Point(found)
                    else { return true }
                    points.append(point)
                    // A frame without a duration has the greatest number.
                    let length: UInt64 = found["duration"] ?? .max
                    let time = point.time - min(range.start ?? 0, point.time)
                    count.note(time.plus(length == .max ? 0 : length))
                    return true
                })
        } catch let error as PipelineError where hasVideo.current == false && error.factory == "hdrsrc" {
            // The element reports only that the audio is not linked, which is all that the file has.
            throw Failure.noVideo(input.shown)
        } catch {
            throw Explanation(source: input.shown, deed: "measured").failure(error)
        }
        guard !points.isEmpty else { throw Self.nothing(of: input) }
        self.points = points
    }
}

extension LightTrack.Point {
    fileprivate init?(_ message: Structure) {
        guard let time: UInt64 = message["stream-time"], time != UInt64.max, let maximum: Double = message["maximum"],
            let average: Double = message["average"]
        else { return nil }
        let high: [Double]? = message["percentile-light"]
        self.init(time: time, maximum: maximum, average: average, high: high?.first ?? maximum)
    }
}

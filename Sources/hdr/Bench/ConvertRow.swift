/// What all processes found for one subject and instruction set.
struct ConvertRow {
    let subject: ConvertBench.Subject
    /// The name of the instruction set; `nil` for what does not follow it.
    let set: String?
    /// Read and written for a frame.
    let bytes: Int
    /// Of a frame in ns, one for each process.
    var times: [Clock] = []
    /// How many times as fast as `videoconvert` in the same process, by either clock.
    var ratios: [Clock] = []

    init(subject: ConvertBench.Subject, set: String?, bytes: Int) {
        self.subject = subject
        self.set = set
        self.bytes = bytes
    }

    /// Wall-clock time of a frame in ns.
    private var wall: Double { median(times.map(\.wall)) }
    private var framesPerSecond: [Double] { times.map { 1e9 / $0.wall } }
    private var processorMilliseconds: Double { median(times.map(\.processor)) / 1e6 }
    private var ratio: Double { median(ratios.map(\.wall)) }
    private var processorRatio: Double { median(ratios.map(\.processor)) }
    private var processorSpread: Double { spread(times.map(\.processor)) }

    static let titles = [
        "conversion", "element", "tone", "quality", "cpu", "threads", "fps", "ns/pixel", "CPU ms/frame", "GB/s",
        "x videoconvert", "by CPU", "spread %", "by CPU",
    ]

    func cells(_ options: ConvertOptions) -> [String] {
        [
            subject.conversion, subject.element, subject.tone ?? "-", subject.quality ?? "-", set ?? "-",
            "\(subject.threads)", fixed(1e9 / wall, 1), fixed(wall / pixels(options), 3),
            fixed(processorMilliseconds, 2), fixed(Double(bytes) / wall, 2), fixed(ratio, 2),
            fixed(processorRatio, 2), fixed(spread(times.map(\.wall)), 1), fixed(processorSpread, 1),
        ]
    }

    func json(_ options: ConvertOptions) -> JSONLine {
        var line = JSONLine()
        line.add("conversion", subject.conversion)
        let conversion = options.conversions.first { $0.name == subject.conversion }
        line.add("from", conversion?.source.name)
        line.add("to", conversion?.target.name)
        line.add("element", subject.element)
        line.add("set", subject.element == "hdrconvert" ? options.variation.properties : nil)
        line.add("tone", subject.tone)
        line.add("quality", subject.quality)
        line.add("cpu", set)
        line.add("threads", subject.threads)
        line.add("width", options.width)
        line.add("height", options.height)
        line.add("content", options.content.rawValue)
        line.add("fps", 1e9 / wall)
        line.add("fps_min", framesPerSecond.min() ?? .nan)
        line.add("fps_max", framesPerSecond.max() ?? .nan)
        line.add("ns_per_pixel", wall / pixels(options))
        line.add("cpu_ms_per_frame", processorMilliseconds)
        line.add("gb_per_s", Double(bytes) / wall)
        line.add("times_videoconvert", ratio)
        line.add("times_videoconvert_cpu", processorRatio)
        line.add("spread_percent", spread(times.map(\.wall)))
        line.add("spread_percent_cpu", processorSpread)
        line.add("starts", times.count)
        return line
    }

    private func pixels(_ options: ConvertOptions) -> Double { Double(options.width * options.height) }
}

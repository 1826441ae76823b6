/// The measurements of all processes for one subject and instruction set.
struct ConvertRow {
    let subject: ConvertBench.Subject
    /// The name of the instruction set; `nil` for elements that do not depend on it.
    let set: String?
    /// Bytes read and written for a frame.
    let bytes: Int
    /// The time of a frame in ns, one for each process.
    var times: [Clock] = []
    /// The speed relative to `videoconvert` in the same process, by either clock.
    var ratios: [Clock] = []

    init(subject: ConvertBench.Subject, set: String?, bytes: Int) {
        self.subject = subject
        self.set = set
        self.bytes = bytes
    }

    /// Wall-clock time of a frame in ns.
    private var wall: Double { times.map(\.wall).median }
    private var framesPerSecond: [Double] { times.map { 1e9 / $0.wall } }
    private var processorMilliseconds: Double { times.map(\.processor).median / 1e6 }
    private var ratio: Double { ratios.map(\.wall).median }
    private var processorRatio: Double { ratios.map(\.processor).median }
    private var processorSpread: Double { times.map(\.processor).spread }

    static let titles = [
        "conversion", "element", "tone", "quality", "cpu", "threads", "fps", "ns/pixel", "CPU ms/frame", "GB/s",
        "x videoconvert", "by CPU", "spread %", "by CPU",
    ]

    func cells(_ options: ConvertOptions) -> [String] {
        [
            subject.conversion, subject.element, subject.tone ?? "-", subject.quality ?? "-", set ?? "-",
            "\(subject.threads)", (1e9 / wall).fixed(1), (wall / pixels(options)).fixed(3),
            processorMilliseconds.fixed(2), (Double(bytes) / wall).fixed(2), ratio.fixed(2),
            processorRatio.fixed(2), times.map(\.wall).spread.fixed(1), processorSpread.fixed(1),
        ]
    }

    func json(_ options: ConvertOptions) -> JSON {
        let conversion = options.conversions.first { $0.name == subject.conversion }
        let spreads = (wall: times.map(\.wall).spread, processor: processorSpread)
        return .object([
            ("conversion", .string(subject.conversion)), ("from", .text(conversion?.sourceName)),
            ("to", .text(conversion?.target.name)), ("element", .string(subject.element)),
            ("set", .text(subject.element == "hdrconvert" ? options.variation.properties : nil)),
            ("tone", .text(subject.tone)), ("quality", .text(subject.quality)), ("cpu", .text(set)),
            ("threads", .integer(subject.threads)), ("width", .integer(options.width)),
            ("height", .integer(options.height)), ("content", .string(options.content.rawValue)),
            ("fps", .decimal(1e9 / wall)), ("fps-min", .decimal(framesPerSecond.min() ?? .nan)),
            ("fps-max", .decimal(framesPerSecond.max() ?? .nan)), ("ns-per-pixel", .decimal(wall / pixels(options))),
            ("cpu-ms-per-frame", .decimal(processorMilliseconds)), ("gb-per-s", .decimal(Double(bytes) / wall)),
            ("times-videoconvert", .decimal(ratio)), ("times-videoconvert-cpu", .decimal(processorRatio)),
            ("spread-percent", .decimal(spreads.wall)), ("spread-percent-cpu", .decimal(spreads.processor)),
            ("starts", .integer(times.count)),
        ])
    }

    private func pixels(_ options: ConvertOptions) -> Double { Double(options.width * options.height) }
}

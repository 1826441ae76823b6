import HDRPipeline

/// Plays a timeline on the element edrsink.
final class TimelinePreview {
    private let run: TimelineRun
    private let sink: Element
    private let plan: TimelinePlan
    private let isQuiet: Bool
    private let keys = TerminalKeys()
    private var isPaused = false
    private var isOver = false

    init(
        _ plan: TimelinePlan, name: String, _ format: CanvasFormat, blendSpace: String, presenter: String,
        hasSound: Bool, quiet: Bool
    ) throws {
        sink = try Element(make: "edrsink", ["presenter": presenter])
        run = try TimelineRun(
            plan, name: name, format: format, blendSpace: blendSpace, to: .display(sink: sink, hasSound: hasSound))
        (self.plan, isQuiet) = (plan, quiet)
    }

    func run() async throws {
        let mailbox = run.pipeline.mailbox()
        defer {
            keys.close()
            Progress.clear()
        }
        do {
            try await run.run {
                for message in mailbox.empty() {
                    if case .navigation(.keyPressed(let key)) = message.kind { press(key) }
                }
                for key in keys.read() { press(key) }
                show()
                return !isOver
            }
        } catch let failure as Failure {
            guard mailbox.empty().contains(where: closes) else { throw failure }
        }
        guard !isQuiet else { return }
        Progress.clear()
        let record = try? sink.get("frame-record", as: Structure.self)
        let (presented, late): (Int, Int) = (record?["presented"] ?? 0, record?["late"] ?? 0)
        Output.write("\(presented + late) frames shown, \(late) of them late\n")
    }

    /// Whether the window was closed, which is how one quits.
    private func closes(_ message: Message) -> Bool {
        guard case .error(let error) = message.kind, error.element == sink.name else { return false }
        // GstResourceError's NOT_FOUND.
        return error.code?.domain == "gst-resource-error-quark" && error.code?.number == 3
    }

    private func press(_ key: String) {
        switch TerminalKeys.normal(key) {
        case "q": isOver = true
        case " ":
            isPaused.toggle()
            _ = try? run.pipeline.begin(isPaused ? .paused : .playing)
        default: break
        }
    }

    private func show() {
        guard !isQuiet else { return }
        let time = run.pipeline.position ?? 0
        Progress.show(
            "\(Time.clock(time)) / \(Time.clock(plan.duration))" + (isPaused ? "  paused" : ""))
    }
}

import HDRPipeline

/// The tracks of a file, for `--dry-run` and `--verbose`.
struct PlaySurvey {
    let name: String
    /// The duration in ns.
    let duration: UInt64?
    /// The description of the decoded video, such as "320x180, bt2100-pq"; empty where it is unknown.
    let picture: String
    let tracks: [PlayTrack.Kind: [PlayTrack]]
    let chapters: [Chapter]
    /// The variant of a stream that has several, such as PQ.
    var variant: String?

    /// Asks a player whose first frame is there.
    init(_ name: String, _ player: Player) {
        self.name = name
        duration = player.duration
        let format = player.sink.format(ofPad: "sink")
        let size = format.flatMap { format -> String? in
            guard let width: Int = format["width"], let height: Int = format["height"] else { return nil }
            return "\(width)x\(height)"
        }
        picture = [size, format?["colorimetry"]].compactMap { $0 }.joined(separator: ", ")
        tracks = Dictionary(uniqueKeysWithValues: PlayTrack.Kind.allCases.map { ($0, player.tracks($0)) })
        chapters = player.chapters
        variant = player.variant
    }

    var text: String {
        var lines = [name + (duration.map { "  " + Time.clock($0) } ?? "")]
        if let variant { lines.append("  variant \(variant)") }
        for kind in PlayTrack.Kind.allCases {
            let found = tracks[kind] ?? []
            for track in found {
                let more = kind == .video && found.count == 1 && !picture.isEmpty ? ", " + picture : ""
                lines.append("  \(kind.name) \(track.number): \(track.description)\(more)")
            }
        }
        for (index, chapter) in chapters.enumerated() {
            lines.append("  chapter \(index + 1): \(Time.exact(chapter.start))  \(chapter.title)")
        }
        return lines.joined(separator: "\n")
    }

    var json: JSON {
        .object(
            [
                ("file", .string(name)), ("duration-seconds", .optional(duration) { .decimal(Double($0) / 1e9) }),
                ("picture", .string(picture)), ("variant", .text(variant)),
            ]
                + PlayTrack.Kind.allCases.map { ($0.name, .array((tracks[$0] ?? []).map(\.json))) } + [
                    (
                        "chapters",
                        .array(
                            chapters.map {
                                .object([
                                    ("start-seconds", .decimal(Double($0.start) / 1e9)), ("title", .string($0.title)),
                                ])
                            })
                    ), ("error", .null),
                ])
    }
}

/// Finds out what would be played, and shows none of it.
final class PlayRehearsal {
    private let options: PlayOptions
    private let player: Player
    private let status: PlayStatus
    private var objects: [JSON] = []
    private var failures: [String] = []

    /// Seconds that a file may take until its first frame.
    private static let patience = 30.0

    init(_ options: PlayOptions) throws {
        self.options = options
        var shown = options.player
        shown.presenter = "offscreen"
        // The survey does not seek, and chooses no tracks.
        shown.start = 0
        shown.end = nil
        player = try Player(shown)
        try player.playbin.root.set("audio-sink", to: Element(make: "fakesink"))
        status = PlayStatus(quiet: options.isQuiet, json: options.isJSON)
    }

    func run() async throws {
        defer {
            player.close()
            if options.isJSON { Output.write(JSON.array(of: objects.map(\.line))) }
        }
        player.pauseOrPlay()
        for input in options.inputs {
            do {
                let survey = try await survey(PlayItem(input, assumed: options.assumed))
                objects.append(survey.json)
                if !options.isJSON { status.say(survey.text) }
            } catch let failure as Failure {
                failures.append(failure.description)
                objects.append(
                    .object([("file", .string(input.description)), ("error", .string(failure.description))]))
                if options.inputs.count > 1 { status.complain(failure.description) }
            }
        }
        guard let first = failures.first else { return }
        throw options.inputs.count == 1
            ? Failure(first) : Failure("\(failures.count) of \(options.inputs.count) could not be played")
    }

    private func survey(_ item: PlayItem) async throws -> PlaySurvey {
        var missing: [MissingPlugin] = []
        do {
            try player.open(item)
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .seconds(Self.patience) {
                try Interruption.check()
                for message in player.mailbox.empty() {
                    switch message.kind {
                    case .error(let error): throw error
                    case .chapters(let chapters): player.note(chapters: chapters)
                    case .element(let structure): if let plugin = MissingPlugin(structure) { missing.append(plugin) }
                    case .asyncDone:
                        guard player.hasVideo else {
                            throw missing.first?.failure(of: item.name) ?? PlayProblem.noVideo(item.name)
                        }
                        return PlaySurvey(item.name, player)
                    default: break
                    }
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        } catch let error as PipelineError {
            throw PlayProblem.failure(error, of: item.name, missing: missing)
        }
        throw Failure("\(item.name) is stuck: no picture came for \(Int(Self.patience)) seconds")
    }
}

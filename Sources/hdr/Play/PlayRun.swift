import HDRPipeline

/// Plays a list with a ``Player``, and handles the user's keys.
final class PlayRun {
    let player: Player
    let status: PlayStatus
    let options: PlayOptions
    private let keys = TerminalKeys()
    /// When to stop, counted from the first picture or sound; `nil` before it.
    private var deadline: ContinuousClock.Instant?
    /// The index of the item that is played, and the item; `nil` at the end.
    private var index = -1
    private(set) var item: PlayItem?
    private var failed: Set<Int> = []
    /// Warnings that were printed.
    private var said: Set<String> = []
    private var missing: [MissingPlugin] = []
    private var isOver = false
    /// The last of the list whose tracks were told.
    private var described: Int?
    /// The result for each item of the list.
    private(set) var records: [PlayRecord]

    init(_ options: PlayOptions) throws {
        self.options = options
        player = try Player(options.player)
        status = PlayStatus(quiet: options.isQuiet, json: options.isJSON)
        records = options.inputs.map { PlayRecord(name: $0.description) }
    }

    /// Plays the list to its end.
    /// - Throws: what could not be played, and ``Interruption``.
    func run() async throws {
        defer {
            player.close()
            status.clear()
            keys.close()
        }
        do {
            try turn(by: 1)
            while !isOver {
                try Interruption.check()
                // Loading a file may take longer than the time it is to be played for.
                if deadline == nil, let seconds = options.seconds, item != nil, player.hasBegun {
                    deadline = .now + .seconds(seconds)
                }
                if let deadline, .now >= deadline { return finish() }
                try hearAll()
                if !isOver, item != nil, player.standsAtTheEnd() { try turn(by: 1) }
                for key in keys.read() { try press(key) }
                if !isOver { status.show(player) }
                try await Task.sleep(for: .milliseconds(20))
            }
        } catch {
            let isInterrupted = error is Interruption
            if isInterrupted || player.counts.shown > 0 { note() }
            if !isInterrupted { fail(all: Reason.text(error)) }
            throw error
        }
        guard failed.isEmpty else {
            throw Failure("\(failed.count) of \(options.inputs.count) could not be played")
        }
    }

    // MARK: The list

    /// Goes on to the next file that can be played, or back.
    func turn(by step: Int) throws {
        var step = step
        var index = self.index
        let count = options.inputs.count
        while true {
            index = max(index + step, 0)
            if index >= count, options.loops, failed.count < count { index = 0 }
            guard index < count else { return finish() }
            if failed.contains(index) {
                if step < 0, index == 0 { return }
                continue
            }
            do {
                let item = try PlayItem(options.inputs[index], assumed: options.assumed)
                sumUp()
                (self.index, self.item) = (index, item)
                missing = []
                try player.open(item)
                return
            } catch let failure as Failure {
                try fail(index, failure)
                if step == 0 { step = 1 }
            } catch let error as PipelineError {
                try hear(error)
                return
            }
        }
    }

    private func fail(_ index: Int, _ failure: Failure) throws {
        failed.insert(index)
        records[index].failure = failure.description
        // With a single item its reason is the whole error.
        guard options.inputs.count > 1 else { throw failure }
        status.complain(failure.description)
    }

    /// Ends the run by an error that prevents all other items from being played, such as a missing display.
    private func fail(all reason: String) {
        for place in records.indices where records[place].failure == nil {
            if place == index || !records[place].wasPlayed { records[place].failure = reason }
        }
    }

    func finish() {
        sumUp()
        isOver = true
    }

    /// Says what became of the file that was played.
    private func sumUp() {
        guard let item else { return }
        let counts = player.counts
        note()
        self.item = nil
        guard !options.isJSON else { return }
        status.say(
            "\(item.name): up to \(Time.exact(player.position)), \(counts.shown) frames shown, \(counts.late) of them "
                + "late, \(counts.dropped) dropped")
    }

    /// Keeps what became of the file that is played.
    private func note() {
        guard item != nil else { return }
        records[index].add(player.counts, until: player.position)
    }

    // MARK: Messages

    private func hearAll() throws {
        let heard = index
        for message in player.mailbox.empty() where !isOver && index == heard && item != nil { try hear(message) }
    }

    private func hear(_ message: Message) throws {
        switch message.kind {
        case .endOfStream: try turn(by: 1)
        case .error(let error): try hear(error)
        case .warning(let warning):
            // Warnings of other elements, as about tracks without a decoder, change nothing that is visible.
            guard message.source == player.sink.name || options.isVerbose, said.insert(warning.message).inserted else {
                return
            }
            status.complain("note: " + warning.message)
        case .buffering(let percent): player.note(buffering: percent)
        case .quality(let dropped): player.note(dropped: dropped, by: message.source)
        case .clockLost: player.restartClock()
        case .latency: player.playbin.updateLatency()
        case .navigation(.keyPressed(let key)): try press(key)
        case .navigation(.buttonPressed(1, let x, let y)): player.moveView(x: x, y: y)
        case .element(let structure): if let plugin = MissingPlugin(structure) { missing.append(plugin) }
        case .chapters(let chapters): player.note(chapters: chapters)
        case .asyncDone: try prepare()
        default: break
        }
    }

    /// A frame is there.
    private func prepare() throws {
        guard let item else { return }
        guard player.hasVideo else {
            let failure = missing.first?.failure(of: item.name) ?? PlayProblem.noVideo(item.name)
            self.item = nil
            try fail(index, failure)
            try turn(by: 1)
            return
        }
        if options.isVerbose, described != index {
            described = index
            status.say(PlaySurvey(item.name, player).text)
        }
        for complaint in try player.prepare() { status.complain("note: \(item.name): \(complaint)") }
    }

    private func hear(_ error: PipelineError) throws {
        if error.element == player.sink.name, error.code?.domain == "gst-resource-error-quark" {
            // GstResourceError's NOT_FOUND: closing the window is how one quits.
            guard error.code?.number != 3 else { return finish() }
            throw Failure(error.message)
        }
        let name = item?.name ?? options.inputs[index].shown
        item = nil
        try fail(index, PlayProblem.failure(error, of: name, missing: missing))
        try turn(by: 1)
    }

    private func press(_ key: String) throws {
        guard !isOver, let action = PlayKey.of(key) else { return }
        try perform(action)
        if !isOver { status.show(player, now: true) }
    }

    /// Warnings that were printed are printed again.
    func forgetWarnings() { said = [] }
}

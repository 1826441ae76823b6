import HDRPipeline

/// The actions of keys, in the terminal and in the window.
enum PlayKey: CaseIterable {
    case pause, back, on, louder, softer, step, previousFile, nextFile, extended, moreHeadroom, lessHeadroom
    case displayHeadroom, save, display, list, quit, sound, subtitles, previousChapter, nextChapter
    case secondView

    static func of(_ key: String) -> PlayKey? {
        let key = TerminalKeys.normal(key)
        return allCases.first { $0.keys.contains(key) }
    }

    private var keys: [String] {
        switch self {
        case .pause: [" "]
        case .back: ["Left"]
        case .on: ["Right"]
        case .louder: ["Up"]
        case .softer: ["Down"]
        case .step: [".", "n"]
        case .previousFile: ["<"]
        case .nextFile: [">"]
        case .extended: ["h"]
        case .moreHeadroom: ["+", "="]
        case .lessHeadroom: ["-"]
        case .displayHeadroom: ["0"]
        case .save: ["s"]
        case .display: ["i"]
        case .list: ["?"]
        case .quit: ["q"]
        case .sound: ["a"]
        case .subtitles: ["v"]
        case .secondView: ["w"]
        case .previousChapter: ["Prior"]
        case .nextChapter: ["Next"]
        }
    }

    /// The table that the help and the key `?` print.
    static let table = """
        space    pause, play                    h    extended range on, off
        Left     10 seconds back                + -  headroom up, down by a quarter of a stop
        Right    10 seconds forward             0    headroom of the display
        Up Down  volume                         s    save a still beside the file (PNG, 16 bits, HDR)
        . n      next frame                     i    print what the display offers
        < >      previous file, next file       a    next track of sound
        PageUp   previous chapter               v    next subtitles, off after the last
        PageDown next chapter                   w    second view: a part enlarged, the whole, none
        click    move the enlarged part here    ?    this list
                                                q    quit
        """
}

extension PlayRun {
    private static let seekStep = 10 * Time.second
    private static let volumeStep = 0.1
    /// The time after a chapter's start from which going back restarts it, in ns.
    private static let chapterPatience = 3 * Time.second

    func perform(_ key: PlayKey) throws {
        switch key {
        case .pause: player.pauseOrPlay()
        case .back: try seek(to: player.position - min(player.position, Self.seekStep))
        case .on: try seek(to: player.position + Self.seekStep)
        case .louder: player.changeVolume(by: Self.volumeStep)
        case .softer: player.changeVolume(by: -Self.volumeStep)
        case .step: player.step()
        case .previousFile: try turn(by: -1)
        case .nextFile: try turn(by: 1)
        case .extended: player.toggleExtended()
        case .moreHeadroom: changeHeadroom(by: 1)
        case .lessHeadroom: changeHeadroom(by: -1)
        case .displayHeadroom: player.followDisplay()
        case .save: save()
        case .display: tellDisplay()
        case .list: status.say(PlayKey.table)
        case .quit: finish()
        case .sound: status.say(player.nextSound())
        case .subtitles: status.say(player.nextSubtitles())
        case .secondView: player.show(player.secondView.next)
        case .previousChapter: turnChapter(isBack: true)
        case .nextChapter: turnChapter(isBack: false)
        }
    }

    /// Seeks to a time in ns; beyond the end goes to the next file.
    private func seek(to time: UInt64) throws {
        if let end = player.end, time >= end {
            try turn(by: 1)
        } else if !player.seek(to: time) {
            status.complain("this cannot be searched")
        }
    }

    /// Goes to the previous or next chapter, or to the start of this one where that is a while ago.
    private func turnChapter(isBack: Bool) {
        let position = player.position
        let starts = player.chapters.filter { $0.start < player.end ?? .max }
        guard !starts.isEmpty else { return status.say("this has no chapters") }
        let index =
            isBack
            ? starts.lastIndex { $0.start + Self.chapterPatience <= position } ?? 0
            : starts.firstIndex { $0.start > position }
        guard let index else { return status.say("this is the last chapter") }
        guard player.seek(to: starts[index].start) else { return status.complain("this cannot be searched") }
        let title = starts[index].title
        status.say("chapter \(index + 1) of \(starts.count)" + (title.isEmpty ? "" : ": \(title)"))
    }

    private func changeHeadroom(by steps: Int) {
        if player.showsSDR {
            status.say("the picture is shown as SDR, whose headroom is always 1")
        } else {
            player.changeHeadroom(by: steps)
        }
    }

    private func save() {
        guard let name = item?.still(at: player.position) else { return }
        // A failure comes as a warning. It is printed as other warnings are, but each time.
        forgetWarnings()
        if player.save(to: name) { status.say("Saved \(name.shown)") }
    }

    private func tellDisplay() {
        guard let state = player.displayState else { return }
        for name in state.fields {
            let value: String
            if let list = state[name, as: [String].self] {
                value = list.isEmpty ? "nothing" : list.joined(separator: ", ")
            } else if let number = state[name, as: Double.self] {
                value = number.short
            } else {
                value = state[name] ?? ""
            }
            status.say("  \(Table.padded(name, 20)) \(value)")
        }
    }
}

extension Double {
    /// The number with up to four decimals.
    fileprivate var short: String {
        guard abs(self) < 1e12 else { return "\(self)" }
        var text = fixed(4)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}

import Glibc

/// The output while playing: lines, and on a terminal below them a status line with the position, which is redrawn.
final class PlayStatus {
    private let isQuiet: Bool
    /// Whether standard output is for JSON alone.
    private let isJSON: Bool
    private let isShown: Bool
    private var width = 0
    private var shown = ContinuousClock.now - .seconds(1)

    init(quiet: Bool, json: Bool) {
        isQuiet = quiet
        isJSON = json
        isShown = isatty(Output.errors) != 0 && !quiet
    }

    func show(_ player: Player, now isNow: Bool = false) {
        let moment = ContinuousClock.now
        guard isShown, isNow || moment - shown >= .milliseconds(250) else { return }
        shown = moment
        write(player.summary)
    }

    private func write(_ text: String) {
        Output.writeError("\r" + Table.padded(text, width))
        width = text.count
    }

    /// Prints a line above the status.
    func say(_ text: String) {
        guard !isQuiet else { return }
        clear()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Output.printable(String($0)) }
        let whole = lines.joined(separator: "\n") + "\n"
        if isJSON { Output.writeError(whole) } else { Output.write(whole) }
    }

    func complain(_ text: String) {
        clear()
        Output.report("hdr play: " + text)
    }

    func clear() {
        guard width > 0 else { return }
        write("")
        Output.writeError("\r")
        width = 0
    }
}

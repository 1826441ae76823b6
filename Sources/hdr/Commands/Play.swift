/// `hdr play`: plays videos on the element edrsink.
enum PlayCommand: Command {
    static let name = "play"
    static let summary = "plays videos, HDR as HDR where the display can show it"

    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: ["hdr play [OPTION ...] INPUT..."],
        about: """
            Plays videos one after another on the element edrsink: HDR as HDR where the display can, tone-mapped to SDR
            where not. An INPUT is a file, a folder, of which the videos are played by name, or an address such as
            https://...
            """,
        groups: PlayOptions.groups,
        notes: """
            Keys, in the terminal and in the window
            \(PlayKey.table.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))

            On a terminal a line tells the time, the headroom, the volume, and how many frames were dropped.

            Examples
              hdr play clip.mov
              hdr play --loop --sdr holiday/

            JSON, at the end: file, frames-shown, frames-late (how many of these were late), frames-dropped,
            position-seconds (null where nothing was played), error (null where it was played; where the display fails,
            the same for each file that was not).

            Exit status: 0 played; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted, such as 130 by Ctrl-C.
            """)

    static func json(_ options: Options, failed reason: String) -> JSON { failures(options, "file", reason) }

    static func run(_ options: Options) async throws -> CInt {
        let asked = try PlayOptions(options)
        Output.keepErrors()
        Interruption.watch()
        guard !asked.isRehearsal else {
            try await PlayRehearsal(asked).run()
            return 0
        }
        let run = try PlayRun(asked)
        defer {
            if asked.isJSON { Output.write(JSON.array(of: run.records.map(\.json.line))) }
        }
        try await run.run()
        return 0
    }
}

import HDRExport
import HDRPipeline

/// Tracks of sound and subtitles.
extension Player {
    /// The tracks of a kind, in the order of the stream; asked when a frame is there.
    func tracks(_ kind: PlayTrack.Kind) -> [PlayTrack] {
        let count: Int = property(of: playbin.root, "n-\(kind.rawValue)") ?? 0
        return (0..<max(0, min(count, 1000))).map { index in
            let tags = try? playbin.root.emit("get-\(kind.rawValue)-tags", index, as: Tags.self)
            let codecs = ["\(kind.rawValue)-codec", kind == .text ? "subtitle-codec" : "codec"]
            return PlayTrack(
                number: index + 1, language: tags?["language-code"], title: tags?["title"],
                codec: codecs.compactMap { tags?[$0] }.first)
        }
    }

    /// The place of the track that is played; `nil` where there is none.
    func current(_ kind: PlayTrack.Kind) -> Int? {
        let current: Int? = property(of: playbin.root, "current-\(kind.rawValue)")
        return current.flatMap { $0 >= 0 ? $0 : nil }
    }

    func select(_ kind: PlayTrack.Kind, _ index: Int) {
        try? playbin.root.set("current-\(kind.rawValue)", to: index)
    }

    /// Switches to the next audio track, and from the last one to the first.
    /// - Returns: the text to print.
    func nextSound() -> String {
        let tracks = tracks(.audio)
        guard hasSound, let now = current(.audio), !tracks.isEmpty else { return "there is no sound" }
        guard tracks.count > 1 else { return "there is one track of sound: \(tracks[0].description)" }
        let next = (now + 1) % tracks.count
        select(.audio, next)
        return "sound \(next + 1) of \(tracks.count): \(tracks[next].description)"
    }

    /// Switches to the next subtitles, and from the last ones to none.
    /// - Returns: the text to print.
    func nextSubtitles() -> String {
        let tracks = tracks(.text)
        guard !tracks.isEmpty else { return "there are no subtitles" }
        let next = showsText ? (current(.text) ?? -1) + 1 : 0
        guard next < tracks.count else {
            showText(false)
            return "no subtitles"
        }
        guard Self.canShowText else { return Self.missingText }
        select(.text, next)
        showText(true)
        return "subtitles \(next + 1) of \(tracks.count): \(tracks[next].description)"
    }

    static var canShowText: Bool { Element.exists("textoverlay") }
    static var missingText: String {
        "text needs GStreamer's element textoverlay: \(DebianPackage.advice(forElement: "textoverlay"))"
    }

    /// Turns to the sound that the user wants when playbin finds it: a change while the tracks wait for the first
    /// frame blocks them.
    static func chooseSound(_ choice: TrackChoice, in playbin: Element) {
        let count = (try? playbin.get("n-audio", as: Int.self)) ?? 0
        let tracks = (0..<max(0, min(count, 1000))).map { index in
            let tags = try? playbin.emit("get-audio-tags", index, as: Tags.self)
            return PlayTrack(number: index + 1, language: tags?["language-code"], title: nil, codec: nil)
        }
        guard let index = choice.index(in: tracks), (try? playbin.get("current-audio", as: Int.self)) != index else {
            return
        }
        try? playbin.set("current-audio", to: index)
    }

    /// Turns to the subtitles that the user wants when playing has begun: until then none are drawn, which could not be
    /// exchanged while they wait for the first frame.
    func chooseSubtitles() {
        if case .file = options.subtitles { return }
        guard options.subtitles.isChosen, let index = options.subtitles.index(in: tracks(.text)) else { return }
        if index != current(.text) { select(.text, index) }
        showText(true)
    }

    /// Complaints about requested tracks that are not available; read when the first frame is shown.
    func complaints() -> [String] {
        var complaints: [String] = []
        for (kind, choice) in [(PlayTrack.Kind.audio, options.sound), (.text, options.subtitles)] where choice.isChosen
        {
            if case .file = choice { continue }
            let tracks = tracks(kind)
            if choice.index(in: tracks) != nil { continue }
            if kind != .audio || hasSound {
                let list = tracks.map { "\($0.number) (\($0.description))" }.joined(separator: "; ")
                complaints.append(
                    "there is no \(kind.name) \(choice.description): "
                        + (list.isEmpty ? "the file has none" : "the file has \(list)"))
            }
        }
        return complaints
    }
}

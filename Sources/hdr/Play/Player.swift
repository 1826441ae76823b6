import CGStreamer
import Glibc
import HDRConcurrency
import HDRPipeline

/// A playbin with an edrsink: what the keys of `hdr play` do.
final class Player {
    /// The range of force-headroom; below 1 there is no headroom.
    static let headroomRange = 1.0...50.0

    struct Options {
        var presenter = "auto"
        var isExtended = true
        /// The headroom; `nil` for the display's.
        var headroom: Double?
        var toneMapping = "rolloff"
        var hasSound = true
        var sound = TrackChoice.automatic
        var subtitles = TrackChoice.off
        /// The part of each file that is played, in ns.
        var start: UInt64 = 0
        var end: UInt64?
        var showsCaptions = false
        var secondView = SecondView.off
        var variant = StreamVariants.Choice.auto
    }

    let sink: Element
    let playbin: Pipeline
    let mailbox: Mailbox
    let options: Options
    var hasSound: Bool { options.hasSound }
    /// Whether subtitles are drawn.
    private(set) var showsText = false
    private enum Phase { case starting, seeking, playing }
    /// The action to take when the first frame is shown; nothing is visible before that.
    private var phase = Phase.playing
    private(set) var chapters: [Chapter] = []
    /// The dynamic range of the stream's variant that is played; `nil` where there are none.
    private(set) var variant: String?
    private var variantNote: String?
    var secondView = SecondView.off
    /// The middle of the part that is enlarged, in shares of the picture.
    var viewCenter = (x: 0.5, y: 0.5)
    private(set) var isPaused = false
    private var isLive = false
    private(set) var buffering = 100
    private var hasStepped = false
    private var knownPosition: UInt64 = 0
    /// The position where playing stands still near its end, and since when.
    private var stand: (position: UInt64, since: ContinuousClock.Instant)?
    /// Frames that decoders have left out because they came too late, by the decoder's name.
    private var leftOut: [String: UInt64] = [:]
    /// The number of the track to be shown, which a streaming thread reads.
    private let video = Locked<UInt64?>(nil)
    private var connections: [SignalConnection] = []

    init(_ options: Options) throws {
        try requireElement("edrsink")
        self.options = options
        sink = try Element(
            make: "edrsink",
            [
                "presenter": options.presenter, "wants-extended-dynamic-range": options.isExtended,
                "force-headroom": options.headroom ?? 0, "tone-mapping": options.toneMapping,
            ])
        Self.leaveOutBrokenDecoder()
        // GStreamer 1.22's playbin3 never ends where a track, such as a phone's metadata, has no decoder.
        playbin = try Pipeline("playbin")
        mailbox = playbin.mailbox()
        try playbin.root.set("video-sink", to: sink)
        showText(false)
        show(options.secondView)
        let root = playbin.root
        connections = [try root.on("video-changed") { [root, video] _ in Self.chooseVideo(root, video.current) }]
        if options.sound.isChosen {
            let sound = options.sound
            for signal in ["audio-changed", "audio-tags-changed"] {
                connections.append(try root.on(signal) { [root] _ in Self.chooseSound(sound, in: root) })
            }
        }
    }

    /// Draws subtitles, or none.
    func showText(_ isShown: Bool) {
        showsText = isShown
        // GstPlayFlags. Not soft-colorbalance, which works on 8 bits.
        let flags =
            ["video", "deinterlace"] + (hasSound ? ["audio", "soft-volume"] : []) + (isShown ? ["text"] : [])
        try? playbin.root.set("flags", to: flags.joined(separator: "+"))
    }

    // MARK: Files

    /// Plays an item from its start.
    func open(_ item: PlayItem) throws {
        // An overlay that has drawn subtitles would hold the first frame of the next file back. All other elements keep
        // the window.
        try playbin.begin(showsText ? .null : .ready)
        // Messages of the previous item do not concern this one.
        _ = mailbox.empty()
        try setFilter(item)
        video.withLock { $0 = item.video }
        let stream = try StreamVariants.find(item.address, options.variant, canShowHDR: canShowHDR)
        variant = stream?.name
        variantNote = stream?.note
        try playbin.root.set("uri", to: stream?.address ?? item.address)
        buffering = 100
        hasStepped = false
        knownPosition = 0
        leftOut = [:]
        chapters = []
        if case .file(let file) = options.subtitles, let address = PlayItem.address(of: file) {
            try playbin.root.set("suburi", to: address)
        }
        if case .file = options.subtitles { showText(true) } else { showText(false) }
        let isPlain = !options.sound.isChosen && !options.subtitles.isChosen && !seeksStart
        phase = isPlain ? .playing : .starting
        try begin()
    }

    private var seeksStart: Bool { options.start > 0 || options.end != nil }

    /// Begins to play what is open.
    private func begin() throws {
        // The first frame of the file need not be the first one to be seen.
        try sink.set("show-preroll-frame", to: phase == .playing)
        try playbin.begin(isPaused || phase != .playing ? .paused : .playing)
        isLive = playbin.change == .live
        if isLive, phase != .playing {
            // A live source has no frame in a pause, and no other time than now.
            phase = .playing
            apply()
        }
    }

    /// Seeks the start and chooses subtitles, when a frame is there.
    /// - Returns: what could not be had.
    func prepare() throws -> [String] {
        var complaints = [variantNote].compactMap { $0 }
        variantNote = nil
        if phase == .starting {
            complaints = self.complaints()
            try sink.set("show-preroll-frame", to: true)
            if seeksStart {
                if playbin.beginSeek(to: options.start, until: options.end) {
                    knownPosition = options.start
                    phase = .seeking
                    return complaints
                }
                complaints.append("--from and --to cannot be sought in it")
            }
        }
        guard phase != .playing else { return complaints }
        phase = .playing
        apply()
        chooseSubtitles()
        return complaints
    }

    func note(chapters found: [Chapter]) { if found.count > chapters.count { chapters = found } }

    /// Sets right what GStreamer does not read from the file, or reads wrong.
    private func setFilter(_ item: PlayItem) throws {
        // The overlay comes first: of what begins with another element, GStreamer takes its pad for text as the entry.
        var chain = options.showsCaptions ? [CaptionOverlay.line] : []
        if !item.fields.isEmpty {
            let fields = item.fields.map { ",\($0.name)=(string)\($0.value)" }.joined()
            chain.append("capssetter caps=" + Pipeline.quoted("video/x-raw" + fields))
        }
        if let orientation = item.orientation {
            chain.append("taginject tags=" + Pipeline.quoted("image-orientation=\(orientation)"))
        }
        guard !chain.isEmpty else { return try playbin.root.clear("video-filter") }
        let filter = try Element(bin: chain.joined(separator: " ! "))
        if options.showsCaptions { try CaptionOverlay.attach(to: filter.child("captions")) }
        try playbin.root.set("video-filter", to: filter)
    }

    /// Turns to the file's main video; playbin takes whichever it finds first.
    private static func chooseVideo(_ playbin: Element, _ wanted: UInt64?) {
        guard let wanted, let count: Int = try? playbin.get("n-video") else { return }
        for index in 0..<max(count, 0) {
            guard let pad = try? playbin.emit("get-video-pad", index, as: Pad.self),
                let number = pad.peer?.streamIdentifier.flatMap(trackNumber), number == wanted
            else { continue }
            if (try? playbin.get("current-video", as: Int.self)) != index {
                try? playbin.set("current-video", to: index)
            }
            return
        }
    }

    /// The number of the track at the end of a stream's name: `/001`, or `/001:` and the UID of Matroska.
    private static func trackNumber(_ identifier: String) -> UInt64? {
        identifier.split(separator: "/").last?.split(separator: ":").first.flatMap { UInt64($0) }
    }

    /// Whether there is something to be seen; asked when a frame is there.
    var hasVideo: Bool { (property(of: playbin.root, "n-video", as: Int.self) ?? 0) > 0 }

    /// Whether the first picture or sound of the file has come.
    var hasBegun: Bool { phase == .playing && playbin.change != .underWay }

    func close() { _ = try? playbin.begin(.null) }

    /// The position in ns.
    var position: UInt64 {
        // While a seek is under way the position is unknown, but for where the seek leads.
        if playbin.change != .underWay, let position = playbin.position { knownPosition = position }
        return knownPosition
    }

    /// The time at which playing ends, in ns; `nil` where it is not known.
    var end: UInt64? { [options.end, duration].compactMap { $0 }.min() }

    /// Whether playing has stood at its end for a second. Subtitles that are chosen when all of them have been read
    /// have no end in playbin, which then keeps the end of the pictures back too.
    func standsAtTheEnd() -> Bool {
        let now = position
        guard hasBegun, !isPaused, buffering == 100, !isLive, let end, now + Self.nearTheEnd >= end else {
            stand = nil
            return false
        }
        guard let stand, stand.position == now else {
            stand = (now, .now)
            return false
        }
        return .now - stand.since > .seconds(1)
    }

    private static let nearTheEnd: UInt64 = 200_000_000

    /// The duration in ns.
    var duration: UInt64? { playbin.duration.flatMap { $0 > 0 ? $0 : nil } }

    // MARK: Transport

    func pauseOrPlay() {
        isPaused.toggle()
        if !isPaused, hasStepped {
            // The sound has stayed where the steps began.
            _ = seek(to: position)
        }
        apply()
    }

    private func apply() {
        let waits = isPaused || phase != .playing || (buffering < 100 && !isLive)
        // Errors are reported by messages.
        _ = try? playbin.begin(waits ? .paused : .playing)
    }

    func note(buffering percent: Int) {
        let wasWaiting = buffering < 100
        buffering = percent
        if wasWaiting != (percent < 100) { apply() }
    }

    /// Notes how many frames an element has left out.
    func note(dropped: UInt64, by source: String) {
        if source != sink.name { leftOut[source] = dropped }
    }

    func restartClock() {
        guard !isPaused else { return }
        _ = try? playbin.begin(.paused)
        apply()
    }

    /// Seeks exactly to a time of the file in ns.
    func seek(to time: UInt64) -> Bool {
        hasStepped = false
        guard playbin.beginSeek(to: time, until: options.end) else { return false }
        knownPosition = time
        return true
    }

    /// Steps to the next frame, paused.
    func step() {
        if !isPaused {
            isPaused = true
            apply()
        }
        hasStepped = true
        playbin.beginStep(sink)
    }

    /// The perceived volume from 0 to 1: loudness is about the third power of the factor.
    var volume: Double { cbrt(property(of: playbin.root, "volume") ?? 1) }

    func changeVolume(by step: Double) {
        let wanted = min(max(((volume + step) * 100).rounded() / 100, 0), 1)
        try? playbin.root.set("volume", to: wanted * wanted * wanted)
    }

    // MARK: Display

    var headroom: Double { property(of: sink, "headroom") ?? 1 }
    var isExtended: Bool { property(of: sink, "wants-extended-dynamic-range") ?? true }
    /// Whether HDR would be seen as such, as far as it is known before there is a picture.
    private var canShowHDR: Bool {
        guard options.isExtended else { return false }
        if let headroom = options.headroom { return headroom > 1 }
        // The sink asks the display when it opens.
        _ = gst_element_set_state(sink.pointer, GST_STATE_READY)
        return property(of: sink, "potential-headroom") ?? 1.0 > 1
    }

    var showsSDR: Bool { displayState?["color-space", as: String.self] == "srgb" }
    var displayState: Structure? { property(of: sink, "display-state") }

    func toggleExtended() { try? sink.set("wants-extended-dynamic-range", to: !isExtended) }

    /// Changes the headroom by steps of a quarter of a stop, up or down.
    func changeHeadroom(by steps: Int) {
        let range = Self.headroomRange
        let wanted = headroom * exp2(Double(steps) / 4)
        try? sink.set("force-headroom", to: min(max(wanted, range.lowerBound), range.upperBound))
    }

    /// Back to the headroom that the display has.
    func followDisplay() { try? sink.set("force-headroom", to: 0.0) }

    func save(to name: FileName) -> Bool { (try? sink.emit("save-frame", name, as: Bool.self)) ?? false }

    // MARK: Figures

    struct Counts: Equatable {
        var shown: UInt64 = 0
        /// The number of late frames among those that were shown.
        var late: UInt64 = 0
        var dropped: UInt64 = 0
    }

    /// The counts of frames by result since the file was opened.
    var counts: Counts {
        let record: Structure? = property(of: sink, "frame-record")
        func count(_ name: String) -> UInt64 { record?[name, as: UInt64.self] ?? 0 }
        let skipped: UInt64 = property(of: sink, "stats", as: Structure.self)?["dropped"] ?? 0
        return Counts(
            shown: count("presented") + count("late"), late: count("late"),
            dropped: count("dropped") + skipped + leftOut.values.reduce(0, +))
    }

    /// A line on how it goes.
    var summary: String {
        var parts = [Time.clock(position) + (duration.map { " / " + Time.clock($0) } ?? "")]
        if buffering < 100 {
            parts.append("buffering \(buffering) %")
        } else if isPaused {
            parts.append("paused")
        }
        parts.append("headroom \(headroom.fixed(2))" + (isExtended ? "" : " (off)"))
        parts.append("volume \(Int((100 * volume).rounded())) %")
        parts.append("dropped \(counts.dropped)")
        return parts.joined(separator: "  ")
    }

    func property<Kind: Value>(of element: Element, _ name: String, as type: Kind.Type = Kind.self) -> Kind? {
        try? element.get(name, as: type)
    }
}

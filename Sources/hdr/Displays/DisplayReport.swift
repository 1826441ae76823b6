import HDRPipeline

/// The presenters of `edrsink`.
enum DisplaySystem: String, CaseIterable {
    case wayland, x11, offscreen
}

/// The HDR capabilities of a display system.
struct DisplayReport {
    let system: DisplaySystem
    /// The capabilities found; `nil` where there is no such display.
    private(set) var offer: Offer?
    /// Why it is not more.
    private(set) var reasons: [String] = []

    struct Offer {
        /// Offscreen pictures are not seen, and never eligible.
        var isEligible = false
        var output = ""
        /// Over SDR white, now and at most.
        var headroom = 1.0
        var potentialHeadroom = 1.0
        /// The luminance of reference white in cd/m².
        var referenceWhite = 0.0
        var peak = 0.0
        var black = 0.0
        /// The refresh rate in Hz; 0 where it is not known.
        var refreshRate = 0.0
        var pixelFormat = ""
        var colorSpace = ""
        /// The names of pixel formats among the features of the display, and the rest of them.
        var pixelFormats: [String] = []
        var features: [String] = []
    }

    var isEligible: Bool { offer?.isEligible ?? false }

    private static let formats = ["rgba16f", "rgb10a2", "bgr10a2", "rgba8", "bgra8"]

    /// Queries a sink with a picture that is not shown.
    init(_ system: DisplaySystem) {
        self.system = system
        do throws(PipelineError) {
            // The sink only decides for a picture how to show it; the size is that of its window anyway.
            let pipeline = try Pipeline(
                "videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=I420_10LE,width=1280,height=720,"
                    + "framerate=25/1,colorimetry=bt2100-pq ! "
                    + "edrsink name=sink presenter=\(system.rawValue) show-preroll-frame=false")
            try pipeline.begin(.paused)
            try pipeline.wait(nanoseconds: 10_000_000_000)
            let sink = try pipeline["sink"]
            guard let state: Structure = try sink.get("display-state") else { return }
            let features = state["features", as: [String].self] ?? []
            let canPlay = try sink.get("eligible-for-hdr-playback", as: Bool.self)
            offer = Offer(
                isEligible: canPlay == true && system != .offscreen, output: state["output"] ?? "",
                headroom: try sink.get("headroom") ?? 1,
                potentialHeadroom: try sink.get("potential-headroom") ?? 1,
                referenceWhite: try sink.get("reference-white") ?? 0, peak: state["peak"] ?? 0,
                black: state["black"] ?? 0, refreshRate: state["refresh-rate"] ?? 0,
                pixelFormat: state["pixel-format"] ?? "", colorSpace: state["color-space"] ?? "",
                pixelFormats: features.filter(Self.formats.contains),
                features: features.filter { !Self.formats.contains($0) })
            reasons = state["why-nothing-better"] ?? []
        } catch { reasons = [reason(error.message)] }
    }

    /// The sink's error without the part that is the same for all display systems.
    private func reason(_ text: String) -> String {
        var text = text
        for part in ["No picture can be shown.", "\(system):", "With presenter=offscreen no display is needed."] {
            while let range = text.firstRange(of: part) { text.removeSubrange(range) }
        }
        return String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    var json: JSON {
        guard let offer else {
            return .object([
                ("system", .string(system.rawValue)), ("available", .bool(false)),
                ("reasons", .array(reasons.map(JSON.string))),
            ])
        }
        return .object([
            ("system", .string(system.rawValue)), ("available", .bool(true)),
            ("eligible-for-hdr-playback", .bool(offer.isEligible)), ("output", .string(offer.output)),
            ("headroom", .decimal(offer.headroom)), ("potential-headroom", .decimal(offer.potentialHeadroom)),
            ("reference-white", .decimal(offer.referenceWhite)), ("peak", .decimal(offer.peak)),
            ("black", .decimal(offer.black)), ("refresh-rate", .decimal(offer.refreshRate)),
            ("pixel-format", .string(offer.pixelFormat)), ("color-space", .string(offer.colorSpace)),
            ("pixel-formats", .array(offer.pixelFormats.map(JSON.string))),
            ("features", .array(offer.features.map(JSON.string))), ("reasons", .array(reasons.map(JSON.string))),
        ])
    }
}

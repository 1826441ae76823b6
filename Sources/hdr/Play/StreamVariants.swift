import CGStreamer
import HDRConcurrency
import HDRContainer
import HDRPipeline

/// Which of the variants of an HTTP Live Stream is played. GStreamer's hlsdemux chooses by bandwidth and does not know
/// VIDEO-RANGE, so it gets a playlist with the variants of one dynamic range alone.
enum StreamVariants {
    enum Choice: String, CaseIterable {
        /// HDR where the display can show it.
        case auto
        case sdr, hdr
    }

    struct Found {
        /// The address to play instead of the playlist.
        let address: String
        /// The dynamic range, such as PQ, and what was not to be had.
        let name: String
        var note: String?
    }

    /// - Parameter canShowHDR: whether the display, or the headroom that the user has set, is for HDR.
    /// - Returns: `nil` for addresses other than playlists.
    static func find(_ address: String, _ choice: Choice, canShowHDR: Bool) throws -> Found? {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard path.lowercased().hasSuffix(".m3u8") || path.lowercased().hasSuffix(".m3u") else { return nil }
        // Addresses that cannot be read are reported when they are played.
        guard let bytes = try read(address), let playlist = MasterPlaylist(bytes) else { return nil }
        let wantsHDR = choice == .hdr || (choice == .auto && canShowHDR)
        let order: [MasterPlaylist.Range] = wantsHDR ? [.pq, .hlg, .sdr] : [.sdr, .hlg, .pq]
        guard let range = order.first(where: playlist.ranges.contains) else { return nil }
        var note: String?
        if choice != .auto, wantsHDR != (range != .sdr) {
            note = "there is no variant in \(wantsHDR ? "HDR" : "SDR"); \(range.rawValue) is played"
        }
        let text = playlist.text(of: range) { resolved($0, against: address) }
        return Found(address: "data:application/x-hls;base64," + base64(text), name: range.rawValue, note: note)
    }

    /// A whole address of one that may be relative.
    private static func resolved(_ address: String, against base: String) -> String {
        guard let text = gst_uri_join_strings(base, address) else { return address }
        defer { g_free(text) }
        return String(cString: text)
    }

    private static func base64(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard let coded = g_base64_encode(bytes, gsize(bytes.count)) else { return "" }
        defer { g_free(coded) }
        return String(cString: coded)
    }

    /// Seconds that a playlist may take.
    private static let patience = 20.0

    /// Reads what is at an address, as far as a playlist may be long.
    /// - Returns: `nil` where it cannot be read.
    /// - Throws: ``Interruption``.
    private static func read(_ address: String) throws -> [UInt8]? {
        guard let source = try? Element(reading: address), let sink = try? Element(make: "fakesink", ["sync": false])
        else { return nil }
        let pipeline = Pipeline()
        let bytes = Locked<[UInt8]>([])
        guard (try? pipeline.add(source, sink)) != nil, let pad = try? sink.pad("sink") else { return nil }
        pad.watch { _, buffer in
            bytes.withLock { bytes in
                if bytes.count <= MasterPlaylist.limit { buffer.withBytes { bytes += $0 } }
            }
            return .pass
        }
        let mailbox = pipeline.mailbox()
        defer { _ = try? pipeline.begin(.null) }
        guard (try? pipeline.begin(.playing)) != nil else { return nil }
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(patience) {
            try Interruption.check()
            for message in mailbox.empty() {
                switch message.kind {
                case .endOfStream: return bytes.current
                case .error: return nil
                default: continue
                }
            }
            if bytes.withLock({ $0.count > MasterPlaylist.limit }) { return nil }
            g_usleep(5000)
        }
        return nil
    }
}

import HDRBitstream
import HDRConcurrency
import HDRPipeline

/// Draws closed captions: reads them from the decoded pictures, and has a `textoverlay` write them.
enum CaptionOverlay {
    private struct State: Sendable {
        var captions = ClosedCaptions()
        var text = ""
        /// The time of the last picture, in ns.
        var time: UInt64?
    }

    /// The element in a launch line.
    static let line = "textoverlay name=captions valignment=bottom wait-text=false"

    /// A gap between pictures behind which captions begin anew, in ns.
    private static let gap = 2 * Time.second

    /// Connects to a `textoverlay`, for as long as its pad lives.
    static func attach(to overlay: Element) throws {
        let state = Locked(State())
        // The pad must not hold the element, which holds the pad.
        try overlay.pad("video_sink").watch { pad, buffer in
            let text = state.withLock { state -> String? in
                if let time = buffer.time {
                    if let last = state.time, time < last || time - last > gap { state.captions = ClosedCaptions() }
                    state.time = time
                }
                state.captions.read(buffer.captions)
                let text = state.captions.text
                guard text != state.text else { return nil }
                state.text = text
                return text
            }
            if let text { try? pad.element?.setOverlayText(text) }
            return .pass
        }
    }
}

extension ClosedCaptions {
    fileprivate mutating func read(_ data: CaptionData?) {
        switch data {
        case .line21(let bytes)?:
            for index in stride(from: 0, to: bytes.count - 1, by: 2) { read(line21: bytes[index], bytes[index + 1]) }
        case .packets(let bytes)?: read(packets: bytes[...])
        case .distribution(let bytes)?: read(distribution: bytes[...])
        case nil: break
        }
    }
}

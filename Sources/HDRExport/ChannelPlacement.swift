/// How the channels of a source come into the layout of an encoder.
package struct ChannelPlacement: Equatable, Sendable {
    /// The layout that is encoded.
    let layout: AAC.Layout
    private let source: (channels: Int, channelMask: UInt64)
    /// The channel mask that the source's channels get before they are converted; `nil` where they keep theirs. Such
    /// channels are neither mixed nor lowered: GStreamer's audioconvert would spread those of loudspeakers at the sides
    /// over the front and the rear.
    package private(set) var takenFor: UInt64?
    /// The mixing matrix: a row for each channel of the layout, with the gain of each of the source's channels in it;
    /// `nil` where audioconvert chooses one.
    package private(set) var matrix: [[Double]]?
    /// What is lost; `nil` where every channel keeps a place of its own.
    package private(set) var warning: String?

    private static let (rear, side): (UInt64, UInt64) = (0x30, 0xc00)
    /// Left, right, rear left and rear right.
    private static let quad: UInt64 = 0x33
    /// GstAudioChannelPosition's pairs of a left and a right one: in front, at the rear, beside the centre, at the
    /// sides, above the front, the rear and the sides, below the front, wide, and surround.
    static let pairs: [UInt64] = [0, 4, 6, 10, 12, 16, 18, 22, 24, 26].map { 0b11 << $0 }

    init(_ source: AudioSource) {
        let (count, mask) = (source.channels, source.channelMask)
        self.source = (count, mask)
        if mask == 0, count == 4 {
            // Four channels without positions are more often those of quad, as editors write it, than AAC's 4.0.
            layout = AAC.layouts[4]
            takenFor = Self.quad
            matrix = Self.matrix(layout.channelMask, from: Self.quad, count)
            return
        }
        if count == 2, mask != 0, !Self.pairs.contains(mask) {
            layout = AAC.stereo
            warning = "its 2 channels, which are no left and right one, are mixed to \(layout.name)"
            return
        }
        if count <= 2 || mask == 0 && count <= AAC.surround.channels {
            // What two channels at other places than stereo's are for, and any without positions, is unknown.
            let layout = AAC.layouts[max(0, count - 1)]
            self.layout = layout
            if mask != layout.channelMask { takenFor = layout.channelMask }
            return
        }
        // Loudspeakers at the sides stand for those at the rear, which AAC has, where there are no others.
        let isAtSides = mask & Self.side != 0 && mask & Self.rear == 0
        let places = isAtSides ? mask & ~Self.side | (mask & Self.side) >> 6 : mask
        if mask != 0, let layout = AAC.layouts.first(where: { places & ~$0.channelMask == 0 && $0.channels > 2 }) {
            self.layout = layout
            if layout.channels == count {
                if mask != layout.channelMask { takenFor = layout.channelMask }
            } else {
                matrix = Self.matrix(layout.channelMask, from: places, count)
            }
            return
        }
        // GStreamer's fallback layouts of 6.1 and 7.1.
        let fallback: [Int: UInt64] = [7: 0x13f, 8: 0xc3f]
        if mask == 0, fallback[count] == nil {
            // Recorders write that many channels as pairs.
            layout = AAC.stereo
            let gain = 1 / Double((count + 1) / 2)
            matrix = (0..<2).map { side in (0..<count).map { $0 % 2 == side ? gain : 0 } }
            warning =
                "its \(count) channels have no positions: the odd ones are mixed to the left, the even ones to the "
                + "right"
            return
        }
        layout = AAC.surround
        warning = "its \(count) channels are mixed to \(layout.name), because AAC has no place for each of them"
        if mask == 0 { takenFor = fallback[count] }
    }

    package static func == (left: ChannelPlacement, right: ChannelPlacement) -> Bool {
        left.layout == right.layout && left.source == right.source
    }

    /// Whether a stream's channels are those that the plan was made for.
    package func applies(channels: Int, channelMask: UInt64) -> Bool { source == (channels, channelMask) }

    /// The matrix that puts each place of a source into the same one of a layout.
    private static func matrix(_ layout: UInt64, from places: UInt64, _ count: Int) -> [[Double]] {
        (0..<64).filter { layout >> UInt64($0) & 1 == 1 }.map { position in
            let bit: UInt64 = 1 << UInt64(position)
            let channel = places & bit == 0 ? nil : (places & (bit - 1)).nonzeroBitCount
            return (0..<count).map { $0 == channel ? 1 : 0 }
        }
    }
}

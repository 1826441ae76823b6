import HDRMetadata

/// A set of MXF header metadata, by the universal labels of its items (SMPTE ST 377-1 annex G, ST 2067-21 for the
/// mastering display).
struct MXFDescriptor {
    /// The items by the last eight bytes of their labels; the first eight contain a version and are otherwise the same
    /// for all.
    private let items: [[UInt8]: [UInt8]]

    /// - Parameters:
    ///   - value: the items, each with a tag and a length of two bytes each and a value of that length.
    ///   - labels: the universal labels of local tags, from the primer.
    init(_ value: [UInt8], _ labels: [UInt16: [UInt8]]) {
        var items: [[UInt8]: [UInt8]] = [:]
        var position = 0
        while let tag = BigEndian.u16(value, position), let size = BigEndian.u16(value, position + 2),
            position + 4 + Int(size) <= value.count
        {
            let data = position + 4..<position + 4 + Int(size)
            position = data.upperBound
            // Tags below 0x8000 are the standard's, which some writers leave out of their primer.
            guard let key = labels[tag].map({ Array($0.dropFirst(8)) }) ?? Self.standardTags[tag] else { continue }
            items[key] = BigEndian.slice(value, data)
        }
        self.items = items
    }

    // MARK: Items

    private enum Label {
        static let storedHeight: [UInt8] = [4, 1, 5, 2, 1, 0, 0, 0]
        static let storedWidth: [UInt8] = [4, 1, 5, 2, 2, 0, 0, 0]
        static let displayHeight: [UInt8] = [4, 1, 5, 1, 11, 0, 0, 0]
        static let displayWidth: [UInt8] = [4, 1, 5, 1, 12, 0, 0, 0]
        static let frameLayout: [UInt8] = [4, 1, 3, 1, 4, 0, 0, 0]
        static let aspectRatio: [UInt8] = [4, 1, 1, 1, 1, 0, 0, 0]
        static let transfer: [UInt8] = [4, 1, 2, 1, 1, 1, 2, 0]
        static let primaries: [UInt8] = [4, 1, 2, 1, 1, 6, 1, 0]
        static let equations: [UInt8] = [4, 1, 2, 1, 1, 3, 1, 0]
        static let sampleRate: [UInt8] = [4, 6, 1, 1, 0, 0, 0, 0]
        static let duration: [UInt8] = [4, 6, 1, 2, 0, 0, 0, 0]
        static let linkedTrack: [UInt8] = [6, 1, 1, 3, 5, 0, 0, 0]
        static let depth: [UInt8] = [4, 1, 5, 3, 10, 0, 0, 0]
        static let horizontalSubsampling: [UInt8] = [4, 1, 5, 1, 5, 0, 0, 0]
        static let verticalSubsampling: [UInt8] = [4, 1, 5, 1, 16, 0, 0, 0]
        static let black: [UInt8] = [4, 1, 5, 3, 3, 0, 0, 0]
        static let white: [UInt8] = [4, 1, 5, 3, 4, 0, 0, 0]
        static let componentMaximum: [UInt8] = [4, 1, 5, 3, 11, 0, 0, 0]
        static let componentMinimum: [UInt8] = [4, 1, 5, 3, 12, 0, 0, 0]
        static let masteringPrimaries: [UInt8] = [4, 32, 4, 1, 1, 1, 0, 0]
        static let masteringWhite: [UInt8] = [4, 32, 4, 1, 1, 2, 0, 0]
        static let masteringMaximum: [UInt8] = [4, 32, 4, 1, 1, 3, 0, 0]
        static let masteringMinimum: [UInt8] = [4, 32, 4, 1, 1, 4, 0, 0]
        /// This is Apple's label, which FFmpeg reads too: no standard has an item for the light level outside of a
        /// composition.
        static let maximumLight: [UInt8] = [14, 32, 4, 1, 5, 3, 1, 1]
        static let averageLight: [UInt8] = [14, 32, 4, 1, 5, 3, 1, 2]
    }

    private static let standardTags: [UInt16: [UInt8]] = [
        0x3202: Label.storedHeight, 0x3203: Label.storedWidth, 0x3208: Label.displayHeight, 0x3209: Label.displayWidth,
        0x320c: Label.frameLayout, 0x320e: Label.aspectRatio, 0x3210: Label.transfer, 0x3219: Label.primaries,
        0x321a: Label.equations, 0x3001: Label.sampleRate, 0x3002: Label.duration, 0x3006: Label.linkedTrack,
        0x3301: Label.depth, 0x3302: Label.horizontalSubsampling, 0x3308: Label.verticalSubsampling,
        0x3304: Label.black, 0x3305: Label.white, 0x3406: Label.componentMaximum, 0x3407: Label.componentMinimum,
    ]

    private func number(_ label: [UInt8]) -> UInt64? {
        items[label].flatMap { $0.isEmpty ? nil : BigEndian.number($0, at: 0, count: $0.count) }
    }

    private func ratio(_ label: [UInt8]) -> (UInt32, UInt32)? {
        guard let value = items[label], let above = BigEndian.u32(value, 0), above > 0, above <= 1 << 30,
            let below = BigEndian.u32(value, 4), below > 0, below <= 1 << 30
        else { return nil }
        return (above, below)
    }

    /// The code point for a label of SMPTE's register of parametric values; `nil` for others.
    private func code(_ label: [UInt8], group: UInt8, _ codes: [UInt8: UInt8]) -> UInt8? {
        guard let value = items[label], value.count == 16, value[4] == 4,
            value[8...12].elementsEqual([4, 1, 1, 1, group])
        else { return nil }
        return codes[value[13]]
    }

    // MARK: What they mean

    /// Whether this is a descriptor of pictures; sub-descriptors and descriptors of sound have no size.
    var isPicture: Bool { number(Label.storedWidth) != nil && number(Label.storedHeight) != nil }

    private var rate: FrameRate? { ratio(Label.sampleRate).flatMap { FrameRate(UInt64($0.0), UInt64($0.1)) } }

    /// The duration in ns; `nil` for all ones and negative numbers, which stand for unknown.
    var duration: UInt64? {
        guard let count = number(Label.duration), count > 0, count < 1 << 32, let rate else { return nil }
        let ticks = count.multipliedReportingOverflow(by: rate.denominator)
        return ticks.overflow ? nil : FrameRate.nanoseconds(ticks.partialValue, timescale: rate.numerator)
    }

    func track(index: Int) -> VideoTrack {
        let stored = (number(Label.storedWidth) ?? 0, number(Label.storedHeight) ?? 0)
        // The height of a picture in separate fields is stored as that of one field.
        let fields: UInt64 = number(Label.frameLayout) == 1 ? 2 : 1
        let height = (number(Label.displayHeight) ?? stored.1) & 0xffff_ffff
        var track = VideoTrack(
            index: index, identifier: number(Label.linkedTrack) ?? 0, codec: "",
            width: number(Label.displayWidth) ?? stored.0, height: height * fields)
        track.frameRate = rate
        track.color = color
        track.masteringDisplay = masteringDisplay
        track.hasMasteringItems = [
            Label.masteringPrimaries, Label.masteringWhite, Label.masteringMaximum, Label.masteringMinimum,
        ].contains { items[$0] != nil }
        if let maximum = number(Label.maximumLight) {
            track.contentLightLevel = ContentLightLevel(
                maximum: UInt16(clamping: maximum), frameAverage: UInt16(clamping: number(Label.averageLight) ?? 0))
        }
        track.bitDepth = depth
        switch (number(Label.horizontalSubsampling), number(Label.verticalSubsampling) ?? 1) {
        case (1?, 1): track.chromaFormat = 3
        case (2?, 1): track.chromaFormat = 2
        case (2?, 2): track.chromaFormat = 1
        default: break
        }
        if let shape = ratio(Label.aspectRatio), track.width > 0, track.height > 0,
            track.width <= 1 << 20, track.height <= 1 << 20,
            let aspect = FrameRate(UInt64(shape.0) * track.height, UInt64(shape.1) * track.width),
            // A picture whose size is not exactly 16:9 has square pixels all the same.
            abs(aspect.value - 1) > 0.01, let across = UInt32(exactly: aspect.numerator),
            let down = UInt32(exactly: aspect.denominator)
        {
            track.pixelAspect = .init(horizontal: across, vertical: down)
        }
        return track
    }

    private var depth: UInt8? {
        if let depth = number(Label.depth), (1...32).contains(depth) { return UInt8(depth) }
        guard let maximum = number(Label.componentMaximum), maximum >= 200, maximum < 1 << 32 else { return nil }
        return UInt8(64 - maximum.leadingZeroBitCount)
    }

    private var color: ColorDescription? {
        let transfer = code(
            Label.transfer, group: 1, [1: 4, 2: 1, 3: 7, 4: 1, 5: 12, 6: 8, 7: 17, 8: 11, 9: 14, 10: 16, 11: 18])
        let primaries = code(Label.primaries, group: 3, [1: 6, 2: 5, 3: 1, 4: 9, 5: 10, 6: 12, 8: 10, 10: 11])
        let equations = code(Label.equations, group: 2, [1: 5, 2: 1, 3: 7, 4: 8, 5: 0, 6: 9])
        guard transfer != nil || primaries != nil || equations != nil else { return nil }
        // An RGBA descriptor has components in place of luma and chroma.
        let isRGB = number(Label.componentMaximum) != nil && number(Label.horizontalSubsampling) == nil
        return ColorDescription(
            primaries: primaries ?? 2, transfer: transfer ?? 2, matrix: equations ?? (isRGB ? 0 : 2),
            isFullRange: range)
    }

    private var range: Bool? {
        guard let black = number(Label.black) ?? number(Label.componentMinimum),
            let white = number(Label.white) ?? number(Label.componentMaximum), white > black
        else { return nil }
        return black == 0
    }

    /// The mastering display, with primaries in the order red, green and blue, in the units of ST 2086.
    private var masteringDisplay: MasteringDisplay? {
        func point(_ bytes: [UInt8]?, _ at: Int) -> SIMD2<UInt16>? {
            guard let bytes, let x = BigEndian.u16(bytes, at), let y = BigEndian.u16(bytes, at + 2) else {
                return nil
            }
            return SIMD2(x, y)
        }
        let primaries = items[Label.masteringPrimaries]
        guard let red = point(primaries, 0), let green = point(primaries, 4), let blue = point(primaries, 8),
            let white = point(items[Label.masteringWhite], 0),
            let maximum = number(Label.masteringMaximum).flatMap({ UInt32(exactly: $0) }),
            let minimum = number(Label.masteringMinimum).flatMap({ UInt32(exactly: $0) })
        else { return nil }
        return MasteringDisplay(
            red: red, green: green, blue: blue, white: white, maximum: maximum, minimum: minimum)
    }
}

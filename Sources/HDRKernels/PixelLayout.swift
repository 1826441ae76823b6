/// Where one component's samples lie in memory.
public struct ComponentLayout: Equatable, Sendable {
    public let plane: Int
    /// Bytes from the start of a row to the first sample.
    public let offset: Int
    /// Bytes from one sample to the next.
    public let step: Int
    /// Bits below the sample in its word: P010 keeps 10 bits in the upper part of 16.
    public let shift: Int

    init(_ plane: Int, _ offset: Int, _ step: Int, shift: Int = 0) {
        self.plane = plane
        self.offset = offset
        self.step = step
        self.shift = shift
    }
}

/// How a raw video format arranges its samples. 16-bit words are little-endian.
public struct PixelLayout: Equatable, Sendable {
    public enum Packing: Equatable, Sendable {
        /// One 8- or 16-bit word a sample.
        case words
        /// Three 10-bit components and 2 bits of alpha in a 32-bit word; red in the lowest bits, or blue.
        case packed1010102(redLowest: Bool)
        /// Four binary16 numbers: red, green, blue and padding that is written as 1.
        case binary16
        /// 4:2:2, 12 samples of 10 bits in 16 bytes, for 6 luma positions.
        case v210
    }

    public let packing: Packing
    public let isRGB: Bool
    /// Bits of a component, 8 to 16.
    public let bits: Int
    /// R, G, B or Y', Cb, Cr. Empty where the packing says it all.
    public let components: [ComponentLayout]
    /// Alpha, or the padding byte that is written as opaque alpha and never read.
    public let alpha: ComponentLayout?
    /// Whether `alpha` means something.
    public let hasAlpha: Bool
    /// Chroma is halved horizontally, vertically: powers of two.
    public let horizontalShift: Int
    public let verticalShift: Int

    /// Bytes of a row that samples fill, and rows, in a plane of a picture.
    public func content(ofPlane plane: Int, width: Int, height: Int) -> (bytes: Int, rows: Int) {
        switch packing {
        case .packed1010102: return (4 * width, height)
        case .binary16: return (8 * width, height)
        case .v210: return ((width + 5) / 6 * 16, height)
        case .words:
            let isChroma = !isRGB && plane > 0 && components.first?.plane != plane && alpha?.plane != plane
            let step = components.first { $0.plane == plane }?.step ?? alpha?.step ?? 0
            guard isChroma else { return (width * step, height) }
            return (
                (width + (1 << horizontalShift) - 1) >> horizontalShift * step,
                (height + (1 << verticalShift) - 1) >> verticalShift
            )
        }
    }

    public var bytesPerWord: Int { bits > 8 ? 2 : 1 }
    public var alphaBits: Int { if case .packed1010102 = packing { 2 } else { bits } }

    /// The same samples, alpha aside: what is read of it means nothing, and what is written is opaque.
    public var opaque: PixelLayout {
        PixelLayout(
            packing: packing, isRGB: isRGB, bits: bits, components: components, alpha: alpha,
            horizontalShift: horizontalShift, verticalShift: verticalShift)
    }

    init(
        packing: Packing = .words, isRGB: Bool, bits: Int, components: [ComponentLayout] = [],
        alpha: ComponentLayout? = nil, hasAlpha: Bool = false, horizontalShift: Int = 0, verticalShift: Int = 0
    ) {
        self.packing = packing
        self.isRGB = isRGB
        self.bits = bits
        self.components = components
        self.alpha = alpha
        self.hasAlpha = hasAlpha
        self.horizontalShift = horizontalShift
        self.verticalShift = verticalShift
    }
}

extension PixelLayout {
    /// Y', Cb, Cr in planes of their own.
    static func planar(_ bits: Int, _ horizontal: Int, _ vertical: Int, order: [Int] = [0, 1, 2]) -> PixelLayout {
        let step = bits > 8 ? 2 : 1
        return PixelLayout(
            isRGB: false, bits: bits, components: order.map { ComponentLayout($0, 0, step) },
            horizontalShift: horizontal, verticalShift: vertical)
    }

    /// Y' in one plane, Cb and Cr in turn in another, 4:2:0.
    static func biplanar(_ bits: Int, shift: Int = 0, crFirst: Bool = false) -> PixelLayout {
        let word = bits > 8 ? 2 : 1
        let chroma = [0, word].map { ComponentLayout(1, $0, 2 * word, shift: shift) }
        return PixelLayout(
            isRGB: false, bits: bits,
            components: [ComponentLayout(0, 0, word, shift: shift)] + (crFirst ? chroma.reversed() : chroma),
            horizontalShift: 1, verticalShift: 1)
    }

    /// Components side by side; `order` holds the position of each, the fourth that of alpha or padding.
    static func interleaved(_ bits: Int, order: [Int], hasAlpha: Bool = false, isRGB: Bool = true) -> PixelLayout {
        let word = bits > 8 ? 2 : 1
        let places = order.map { ComponentLayout(0, $0 * word, order.count * word) }
        return PixelLayout(
            isRGB: isRGB, bits: bits, components: Array(places.prefix(3)), alpha: places.count > 3 ? places[3] : nil,
            hasAlpha: hasAlpha)
    }

    /// Green, blue, red (and alpha) in planes of their own.
    static func planarRGB(_ bits: Int, hasAlpha: Bool = false) -> PixelLayout {
        let step = bits > 8 ? 2 : 1
        return PixelLayout(
            isRGB: true, bits: bits, components: [2, 0, 1].map { ComponentLayout($0, 0, step) },
            alpha: hasAlpha ? ComponentLayout(3, 0, step) : nil, hasAlpha: hasAlpha)
    }

    /// Half-float pixels, as displays take them; GStreamer 1.22 has no name for them. Only written.
    public static let rgba16f = PixelLayout(packing: .binary16, isRGB: true, bits: 16)

    /// The formats that are converted, by their GStreamer names.
    public static let byName: [String: PixelLayout] = [
        "I420": planar(8, 1, 1), "YV12": planar(8, 1, 1, order: [0, 2, 1]),
        "Y42B": planar(8, 1, 0), "Y444": planar(8, 0, 0),
        "I420_10LE": planar(10, 1, 1), "I420_12LE": planar(12, 1, 1),
        "I422_10LE": planar(10, 1, 0), "I422_12LE": planar(12, 1, 0),
        "Y444_10LE": planar(10, 0, 0), "Y444_12LE": planar(12, 0, 0), "Y444_16LE": planar(16, 0, 0),
        "NV12": biplanar(8), "NV21": biplanar(8, crFirst: true),
        "P010_10LE": biplanar(10, shift: 6), "P012_LE": biplanar(12, shift: 4), "P016_LE": biplanar(16),
        "RGB": interleaved(8, order: [0, 1, 2]), "BGR": interleaved(8, order: [2, 1, 0]),
        "RGBA": interleaved(8, order: [0, 1, 2, 3], hasAlpha: true), "RGBx": interleaved(8, order: [0, 1, 2, 3]),
        "BGRA": interleaved(8, order: [2, 1, 0, 3], hasAlpha: true), "BGRx": interleaved(8, order: [2, 1, 0, 3]),
        "ARGB": interleaved(8, order: [1, 2, 3, 0], hasAlpha: true), "xRGB": interleaved(8, order: [1, 2, 3, 0]),
        "ABGR": interleaved(8, order: [3, 2, 1, 0], hasAlpha: true), "xBGR": interleaved(8, order: [3, 2, 1, 0]),
        "ARGB64_LE": interleaved(16, order: [1, 2, 3, 0], hasAlpha: true),
        "RGBA64_LE": interleaved(16, order: [0, 1, 2, 3], hasAlpha: true),
        "AYUV64": interleaved(16, order: [1, 2, 3, 0], hasAlpha: true, isRGB: false),
        "GBR_10LE": planarRGB(10), "GBR_12LE": planarRGB(12), "GBRA_12LE": planarRGB(12, hasAlpha: true),
        "RGB10A2_LE": PixelLayout(packing: .packed1010102(redLowest: true), isRGB: true, bits: 10, hasAlpha: true),
        "BGR10A2_LE": PixelLayout(packing: .packed1010102(redLowest: false), isRGB: true, bits: 10, hasAlpha: true),
        "v210": PixelLayout(packing: .v210, isRGB: false, bits: 10, horizontalShift: 1),
    ]
}

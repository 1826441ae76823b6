/// The memory layout of one component's samples.
package struct ComponentLayout: Equatable, Sendable {
    package let plane: Int
    /// The number of bytes from the start of a row to the first sample.
    package let offset: Int
    /// The number of bytes from one sample to the next.
    package let step: Int
    /// The number of bits below the sample in its word: P010 keeps 10 bits in the upper part of 16.
    package let shift: Int

    init(_ plane: Int, _ offset: Int, _ step: Int, shift: Int = 0) {
        self.plane = plane
        self.offset = offset
        self.step = step
        self.shift = shift
    }
}

/// The memory layout of a raw video format.
package struct PixelLayout: Equatable, Sendable {
    package enum Packing: Equatable, Sendable {
        /// One 8- or 16-bit word for each sample.
        case words
        /// Three 10-bit components and 2 bits of alpha in a 32-bit word; the values are the numbers of bits below each
        /// component.
        case packed1010102(Int, Int, Int)
        /// Four binary16 numbers: red, green, blue and padding that is written as 1.
        case binary16
        /// The v210 format: 4:2:2, with 12 samples of 10 bits in 16 bytes for 6 luma positions.
        case v210
    }

    package let packing: Packing
    package let isRGB: Bool
    /// The bit depth of a component, 8 to 16.
    package let bits: Int
    /// The layouts of R, G, B or Y', Cb, Cr, or of Y' alone. Empty where the packing determines them.
    package let components: [ComponentLayout]
    /// The layout of alpha, or of the padding byte that is written as opaque alpha and never read.
    package let alpha: ComponentLayout?
    /// Whether `alpha` is alpha, and not padding.
    package let hasAlpha: Bool
    /// The horizontal and vertical subsampling of chroma, as base-2 logarithms.
    package let horizontalShift: Int
    package let verticalShift: Int
    /// Whether 16-bit words have their higher byte first.
    package let isBigEndian: Bool

    /// Whether the layout has Y' without chroma.
    package var isGray: Bool { packing == .words && components.count == 1 }

    /// Whether Y', Cb and Cr share one plane, with chroma halved horizontally, as in YUY2.
    package var isPacked422: Bool {
        packing == .words && horizontalShift == 1 && components.count == 3 && components[1].plane == components[0].plane
    }

    /// Whether samples of halved chroma belong to pairs of pixels in planes, without alpha.
    var hasPairs: Bool { packing == .words && horizontalShift == 1 && !isPacked422 && !hasAlpha }

    /// The number of bytes of a row that samples fill, and the number of rows, in a plane of a picture.
    package func content(ofPlane plane: Int, width: Int, height: Int) -> (bytes: Int, rows: Int) {
        switch packing {
        case .packed1010102: return (4 * width, height)
        case .binary16: return (8 * width, height)
        case .v210: return ((width + 5) / 6 * 16, height)
        case .words where isPacked422: return ((width + 1) / 2 * components[1].step, height)
        case .words:
            let isChroma = !isRGB && plane > 0 && components.first?.plane != plane && alpha?.plane != plane
            guard let step = components.first(where: { $0.plane == plane })?.step ?? alphaStep(ofPlane: plane) else {
                return (0, 0)
            }
            guard isChroma else { return (width * step, height) }
            return (
                (width + (1 << horizontalShift) - 1) >> horizontalShift * step,
                (height + (1 << verticalShift) - 1) >> verticalShift
            )
        }
    }

    private func alphaStep(ofPlane plane: Int) -> Int? { alpha.flatMap { $0.plane == plane ? $0.step : nil } }

    package var bytesPerWord: Int { bits > 8 ? 2 : 1 }
    package var alphaBits: Int { if case .packed1010102 = packing { 2 } else { bits } }

    /// This layout with padding in place of alpha: it is not read, and written as opaque.
    package var opaque: PixelLayout {
        PixelLayout(
            packing: packing, isRGB: isRGB, bits: bits, components: components, alpha: alpha,
            horizontalShift: horizontalShift, verticalShift: verticalShift, isBigEndian: isBigEndian)
    }

    init(
        packing: Packing = .words, isRGB: Bool, bits: Int, components: [ComponentLayout] = [],
        alpha: ComponentLayout? = nil, hasAlpha: Bool = false, horizontalShift: Int = 0, verticalShift: Int = 0,
        isBigEndian: Bool = false
    ) {
        self.packing = packing
        self.isRGB = isRGB
        self.bits = bits
        self.components = components
        self.alpha = alpha
        self.hasAlpha = hasAlpha
        self.horizontalShift = horizontalShift
        self.verticalShift = verticalShift
        self.isBigEndian = isBigEndian
    }
}

extension PixelLayout {
    /// Y', Cb, Cr, and alpha where there is any, in planes of their own.
    static func planar(
        _ bits: Int, _ horizontal: Int, _ vertical: Int, order: [Int] = [0, 1, 2], hasAlpha: Bool = false
    ) -> PixelLayout {
        let step = bits > 8 ? 2 : 1
        return PixelLayout(
            isRGB: false, bits: bits, components: order.map { ComponentLayout($0, 0, step) },
            alpha: hasAlpha ? ComponentLayout(3, 0, step) : nil, hasAlpha: hasAlpha,
            horizontalShift: horizontal, verticalShift: vertical)
    }

    /// Y' in one plane, interleaved Cb and Cr in another one; 4:2:0 by default.
    static func biplanar(
        _ bits: Int, _ horizontal: Int = 1, _ vertical: Int = 1, shift: Int = 0, crFirst: Bool = false
    ) -> PixelLayout {
        let word = bits > 8 ? 2 : 1
        let chroma = [0, word].map { ComponentLayout(1, $0, 2 * word, shift: shift) }
        return PixelLayout(
            isRGB: false, bits: bits,
            components: [ComponentLayout(0, 0, word, shift: shift)] + (crFirst ? chroma.reversed() : chroma),
            horizontalShift: horizontal, verticalShift: vertical)
    }

    /// Packed 4:2:2, with two samples of Y', one of Cb and one of Cr in a group; `order` holds the positions of the
    /// first Y', of Cb and of Cr.
    static func packed422(_ bits: Int, order: [Int], shift: Int = 0) -> PixelLayout {
        let word = bits > 8 ? 2 : 1
        let places = zip(order, [2, 4, 4]).map { ComponentLayout(0, $0 * word, $1 * word, shift: shift) }
        return PixelLayout(isRGB: false, bits: bits, components: places, horizontalShift: 1)
    }

    /// Y' alone.
    static func gray(_ bits: Int) -> PixelLayout {
        PixelLayout(isRGB: false, bits: bits, components: [ComponentLayout(0, 0, bits > 8 ? 2 : 1)])
    }

    /// Interleaved components; `order` holds the position of each, the fourth that of alpha or padding.
    static func interleaved(
        _ bits: Int, order: [Int], shift: Int = 0, hasAlpha: Bool = false, isRGB: Bool = true
    ) -> PixelLayout {
        let word = bits > 8 ? 2 : 1
        let places = order.map { ComponentLayout(0, $0 * word, order.count * word, shift: shift) }
        return PixelLayout(
            isRGB: isRGB, bits: bits, components: Array(places.prefix(3)), alpha: places.count > 3 ? places[3] : nil,
            hasAlpha: hasAlpha)
    }

    /// Green, blue, red, and alpha where there is any, in planes of their own.
    static func planarRGB(_ bits: Int, hasAlpha: Bool = false) -> PixelLayout {
        let step = bits > 8 ? 2 : 1
        return PixelLayout(
            isRGB: true, bits: bits, components: [2, 0, 1].map { ComponentLayout($0, 0, step) },
            alpha: hasAlpha ? ComponentLayout(3, 0, step) : nil, hasAlpha: hasAlpha)
    }

    /// Pixels of half floats, as displays take them. GStreamer 1.22 has no name for this format, and it is only
    /// written.
    package static let rgba16f = PixelLayout(packing: .binary16, isRGB: true, bits: 16)

    /// This layout with the higher byte of 16-bit words first.
    private var bigEndian: PixelLayout {
        PixelLayout(
            packing: packing, isRGB: isRGB, bits: bits, components: components, alpha: alpha, hasAlpha: hasAlpha,
            horizontalShift: horizontalShift, verticalShift: verticalShift, isBigEndian: true)
    }

    /// The formats that are converted, by their GStreamer names.
    package static let byName: [String: PixelLayout] = {
        var layouts = littleEndian
        for (name, layout) in littleEndian where name.hasSuffix("LE") && layout.packing == .words {
            layouts[name.dropLast(2) + "BE"] = layout.bigEndian
        }
        return layouts
    }()

    private static let littleEndian: [String: PixelLayout] = [
        "I420": planar(8, 1, 1), "YV12": planar(8, 1, 1, order: [0, 2, 1]),
        "Y42B": planar(8, 1, 0), "Y444": planar(8, 0, 0),
        "I420_10LE": planar(10, 1, 1), "I420_12LE": planar(12, 1, 1),
        "I422_10LE": planar(10, 1, 0), "I422_12LE": planar(12, 1, 0),
        "Y444_10LE": planar(10, 0, 0), "Y444_12LE": planar(12, 0, 0), "Y444_16LE": planar(16, 0, 0),
        "A420": planar(8, 1, 1, hasAlpha: true), "A420_10LE": planar(10, 1, 1, hasAlpha: true),
        "A422_10LE": planar(10, 1, 0, hasAlpha: true), "A444_10LE": planar(10, 0, 0, hasAlpha: true),
        "NV12": biplanar(8), "NV21": biplanar(8, crFirst: true),
        "NV16": biplanar(8, 1, 0), "NV61": biplanar(8, 1, 0, crFirst: true), "NV24": biplanar(8, 0, 0),
        "P010_10LE": biplanar(10, shift: 6), "P012_LE": biplanar(12, shift: 4), "P016_LE": biplanar(16),
        "YUY2": packed422(8, order: [0, 1, 3]), "YVYU": packed422(8, order: [0, 3, 1]),
        "UYVY": packed422(8, order: [1, 0, 2]),
        "Y210": packed422(10, order: [0, 1, 3], shift: 6), "Y212_LE": packed422(12, order: [0, 1, 3], shift: 4),
        "v216": packed422(16, order: [1, 0, 2]),
        "GRAY8": gray(8), "GRAY16_LE": gray(16),
        "RGB": interleaved(8, order: [0, 1, 2]), "BGR": interleaved(8, order: [2, 1, 0]),
        "RGBA": interleaved(8, order: [0, 1, 2, 3], hasAlpha: true), "RGBx": interleaved(8, order: [0, 1, 2, 3]),
        "BGRA": interleaved(8, order: [2, 1, 0, 3], hasAlpha: true), "BGRx": interleaved(8, order: [2, 1, 0, 3]),
        "ARGB": interleaved(8, order: [1, 2, 3, 0], hasAlpha: true), "xRGB": interleaved(8, order: [1, 2, 3, 0]),
        "ABGR": interleaved(8, order: [3, 2, 1, 0], hasAlpha: true), "xBGR": interleaved(8, order: [3, 2, 1, 0]),
        "AYUV": interleaved(8, order: [1, 2, 3, 0], hasAlpha: true, isRGB: false),
        "VUYA": interleaved(8, order: [2, 1, 0, 3], hasAlpha: true, isRGB: false),
        "ARGB64_LE": interleaved(16, order: [1, 2, 3, 0], hasAlpha: true),
        "RGBA64_LE": interleaved(16, order: [0, 1, 2, 3], hasAlpha: true),
        "BGRA64_LE": interleaved(16, order: [2, 1, 0, 3], hasAlpha: true),
        "ABGR64_LE": interleaved(16, order: [3, 2, 1, 0], hasAlpha: true),
        "AYUV64": interleaved(16, order: [1, 2, 3, 0], hasAlpha: true, isRGB: false),
        "Y412_LE": interleaved(12, order: [1, 0, 2, 3], shift: 4, hasAlpha: true, isRGB: false),
        "GBR": planarRGB(8), "GBRA": planarRGB(8, hasAlpha: true),
        "GBR_10LE": planarRGB(10), "GBR_12LE": planarRGB(12),
        "GBRA_10LE": planarRGB(10, hasAlpha: true), "GBRA_12LE": planarRGB(12, hasAlpha: true),
        "RGB10A2_LE": PixelLayout(packing: .packed1010102(0, 10, 20), isRGB: true, bits: 10, hasAlpha: true),
        "BGR10A2_LE": PixelLayout(packing: .packed1010102(20, 10, 0), isRGB: true, bits: 10, hasAlpha: true),
        "Y410": PixelLayout(packing: .packed1010102(10, 0, 20), isRGB: false, bits: 10, hasAlpha: true),
        "v210": PixelLayout(packing: .v210, isRGB: false, bits: 10, horizontalShift: 1),
    ]
}

import HDRColor
import Testing

@testable import HDRKernels

/// The kernels that a test runs: those of an instruction set at a quality.
struct Kernel: Sendable, CustomStringConvertible {
    let set: InstructionSet
    let quality: Quality
    var description: String { "\(quality) \(set)" }

    static let all = InstructionSet.supported.flatMap { set in Quality.allCases.map { Kernel(set: set, quality: $0) } }
    /// The kernels with a limit for every colour, and not only for those of natural pictures.
    static let exact = all.filter { $0.quality != .fast }

    func converter(_ plan: ConversionPlan, _ format: FormatPlan, width: Int, threads: Int = 1) -> PictureConverter {
        PictureConverter(
            plan: plan, format: format, quality: quality, width: width, threads: threads, instructionSet: set)
    }
}

extension PictureConverter {
    /// Converts all bands in turn.
    func run(_ source: Picture, _ target: Picture) {
        for slice in 0..<threads { convert(source.view, target.view, slice: slice) }
    }

    /// A new picture from all bands.
    func picture(_ source: Picture, _ layout: PixelLayout) -> Picture {
        let target = Picture(layout, source.width, source.height)
        run(source, target)
        return target
    }
}

extension ConversionSettings {
    /// The usual ones, but colours outside the gamut are cut: `perceptual` has tests, and allowances, of its own.
    static var clipped: ConversionSettings {
        var settings = ConversionSettings()
        settings.gamutMapping = .clip
        return settings
    }
}

/// A conversion of whole pictures: of what, and between which formats.
struct Job: Sendable, CustomTestStringConvertible {
    let name: String
    let plan: ConversionPlan
    var format: FormatPlan
    var testDescription: String { name }
    /// Whether pictures become SDR in 8 bits.
    var isCoarse: Bool { format.target.bits <= 8 && !plan.target.transfer.isHDR }

    init(
        _ name: String, _ from: ColorSignal, _ to: ColorSignal, _ layouts: (PixelLayout, PixelLayout),
        _ settings: ConversionSettings = .clipped, siting: (ChromaSiting, ChromaSiting) = (.left, .left),
        mode: ChromaMode = .linear, dither: Dither = .none, reshapes: Bool = false
    ) {
        self.name = name
        plan = ConversionPlan(source: from, target: to, settings: settings)
        var format = FormatPlan(
            source: layouts.0, target: layouts.1, sourceSiting: siting.0, targetSiting: siting.1, chromaMode: mode,
            dither: dither)
        format.reshapes = reshapes
        self.format = format
    }

    func definition(_ source: Picture) -> Picture {
        PictureConverter.definition(plan, format, width: source.width).picture(source, format.target)
    }

    func converter(_ kernel: Kernel, width: Int, threads: Int = 1) -> PictureConverter {
        kernel.converter(plan, format, width: width, threads: threads)
    }

    func picture(_ kernel: Kernel, _ source: Picture) -> Picture {
        converter(kernel, width: source.width).picture(source, format.target)
    }
}

/// The difference of a picture from the expected one, in code values.
struct Difference: CustomStringConvertible {
    var largest = 0
    var mean = 0.0
    /// Share of samples, and of pixels with a sample, that are further off than `far` codes.
    var farSamples = 0.0
    var farPixels = 0.0
    private var place = ""

    var description: String {
        "largest \(largest)\(place), mean \(mean), far: samples \(farSamples), pixels \(farPixels)"
    }

    /// - Parameter source: for planes of one size, what the pictures were made from, so that the worst colour is named.
    init(_ picture: Picture, _ expected: Picture, far: Int = 8, from source: Picture? = nil) {
        let (ours, theirs) = (picture.samples, expected.samples)
        precondition(ours.count == theirs.count)
        let count = picture.width * picture.height
        let hasEqualPlanes = ours.count == 3 * count
        var isFar = [Bool](repeating: false, count: hasEqualPlanes ? count : 0)
        var (total, samples, pixels, worst) = (0, 0, 0, 0)
        for i in ours.indices {
            let d = abs(Int(ours[i]) - Int(theirs[i]))
            if d == 0 { continue }
            total += d
            if d > largest { (largest, worst) = (d, i) }
            if d > far {
                samples += 1
                if hasEqualPlanes && !isFar[i % count] {
                    isFar[i % count] = true
                    pixels += 1
                }
            }
        }
        mean = Double(total) / Double(ours.count)
        farSamples = Double(samples) / Double(ours.count)
        farPixels = Double(pixels) / Double(count)
        guard largest > 0 else { return }
        func pixel(_ samples: [UInt16]) -> [UInt16] {
            hasEqualPlanes ? (0..<3).map { samples[$0 * count + worst % count] } : [samples[worst]]
        }
        place = " at sample \(worst), where \(pixel(theirs)) became \(pixel(ours))"
        if let source, hasEqualPlanes, source.samples.count == ours.count {
            place += " from \(pixel(source.samples))"
        }
    }
}

extension Picture {
    /// All samples, plane by plane, of a format whose words contain nothing but samples.
    var samples: [UInt16] {
        content.withUnsafeBytes { bytes in
            if layout.bytesPerWord == 1 { return bytes.map { UInt16($0) } }
            return bytes.bindMemory(to: UInt16.self).map { UInt16(littleEndian: $0) }
        }
    }
}

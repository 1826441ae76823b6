import CKernels
import Foundation
import HDRColor
import TestSupport
import Testing

@testable import HDRKernels

/// The kernels for arm64's NEON against the definition: compiled as embedded Swift, whose library needs no other
/// system's toolchain, and run by QEMU where the processor is another. A file gives them the parameters and
/// samples that the kernels of this machine get.
@Suite(.enabled(if: ARM64Program.canBeMade, "needs swiftc, aarch64-linux-gnu-gcc and qemu-aarch64"))
struct ARM64KernelTests {
    private static let program = Result { try ARM64Program() }

    static func job(
        _ from: KernelAccuracyTests.Signal, _ to: KernelAccuracyTests.Signal, _ formats: (String, String),
        siting: ChromaSiting = .left, _ change: (inout ConversionSettings) -> Void = { _ in }
    ) -> Job {
        let (source, target) = (layout(formats.0), layout(formats.1))
        var settings = ConversionSettings()
        change(&settings)
        return Job(
            "\(from) \(formats.0) -> \(to) \(formats.1) \(settings.toneCurve.map { "\($0)" } ?? "") \(settings.domain)",
            from.signal(source), to.signal(target), (source, target), settings, siting: (siting, siting))
    }

    /// Every form of curve that tables have, and every way to read and to write samples.
    static let wide: [Job] = {
        let ycbcr = ("Y444_10LE", "Y444_10LE")
        let rgb = ("GBR_10LE", "GBR_10LE")
        return [
            job(.pq, .sdr, ycbcr), job(.pq, .sdr, ycbcr) { $0.toneCurve = .bt2390 },
            job(.pq, .sdr, ycbcr) { ($0.toneCurve, $0.domain) = (.bt2390, .ictcp) },
            job(.pq, .sdr, ycbcr) { ($0.toneCurve, $0.domain) = (.hable, .rgb) },
            job(.pq, .sdr, rgb) { $0.gamutMapping = .softclip },
            job(.pq, .sdr, ycbcr) { ($0.gamutMapping, $0.toneCurve) = (.perceptual, .bt2390) },
            job(.hlg, .sdr, rgb) { ($0.gamutMapping, $0.toneCurve) = (.perceptual, .bt2446a) }, job(.pq, .hlg, ycbcr),
            job(.hlg, .pq, rgb),
            job(.hlg, .sdr, ycbcr), job(.sdr, .pq, ycbcr), job(.sRGB, .hlg, rgb) { $0.inverseToneCurve = .spline },
            job(.sdr, .linear, rgb), job(.gamma, .sRGB, rgb), job(.sdr, .bt601, ycbcr),
        ]
    }()

    static let natural: [Job] = ChromaSiting.tried.flatMap { siting in
        [
            ("P010_10LE", "NV12"), ("I420_10LE", "P010_10LE"), ("I422_10LE", "Y42B"), ("v210", "v210"),
            ("P010_10LE", "RGBA"), ("Y444_10LE", "RGBA64_LE"), ("P010_10LE", "RGB10A2_LE"),
        ].filter { PixelLayout.byName[$0.0] != nil && PixelLayout.byName[$0.1] != nil }
            .map { job(.pq, .sdr, $0, siting: siting) }
    }

    /// Levels between two codes, as bytes, as words, in pairs with chroma and side by side, beyond a chunk and a tile.
    @Test(arguments: DitherKernelTests.targets, [Dither.ordered, .blueNoise])
    func dither(_ name: String, _ dither: Dither) throws {
        for (width, height) in [(900, 70), (45, 3), (1, 1)] {
            let (job, source) = DitherKernelTests.levels(name, width, height, dither)
            let (picture, expected) = (try Self.program.get().convert(job, source), job.definition(source))
            for c in 0..<3 { #expect(picture[c] == expected[c], "\(width)x\(height), component \(c)") }
        }
    }

    @Test(arguments: wide) func allColors(_ job: Job) throws {
        let source = KernelColors.wide(job.plan.source, job.format.source, height: 32)
        let d = Difference(try Self.program.get().convert(job, source), job.definition(source), from: source)
        // At the edge of the gamut, to which perceptual mapping moves colours, every error shows near black.
        let limit = job.plan.domain == .ictcp ? 4 : job.plan.gamutMapping == .perceptual ? 8 : 2
        #expect(d.largest <= limit && d.mean <= 0.05, "\(d)")
    }

    @Test(arguments: natural) func formats(_ job: Job) throws {
        let natural = KernelColors.natural(job.plan.source, job.format.source, peak: 1000)
        for (width, height) in [(768, 16), (47, 5), (1, 1), (2, 3)] {
            // The corner of the picture.
            let source = Picture(job.format.source, width, height)
            for component in 0..<3 {
                let (w, h) = source.extent(component)
                let (from, stride) = (natural[component], natural.extent(component).width)
                source[component] = (0..<w * h).map { from[$0 / w * stride + $0 % w] }
            }
            let (picture, expected) = (try Self.program.get().convert(job, source), job.definition(source))
            // A code of ten bits, or of eight.
            let most = 1 << max(job.format.target.bits - 10, 0)
            for component in 0..<3 {
                let largest = zip(picture[component], expected[component]).map { abs($0 - $1) }.max()!
                #expect(largest <= most, "\(width)x\(height), component \(component)")
            }
        }
    }
}

extension ARM64KernelTests {
    /// Contrast recovery of a light and of a signal, with chroma at every pixel and not.
    @Test(arguments: ContrastRecoveryKernelTests.jobs.filter { $0.format.isOfKernels })
    func contrastRecovery(_ job: Job) throws {
        for (width, height) in [(776, 12), (47, 5), (1, 1)] {
            let source = ContrastRecoveryKernelTests.source(job, width, height)
            let picture = try Self.program.get().convert(job, source)
            let expected = try ContrastRecoveryKernelTests.picture(job, nil, source)
            for component in 0..<3 {
                let largest = zip(picture[component], expected[component]).map { abs($0 - $1) }.max() ?? 0
                #expect(largest <= 1, "\(width)x\(height), component \(component)")
            }
        }
    }
}

extension FormatPlan {
    /// Whether kernels take both layouts as they are.
    fileprivate var isOfKernels: Bool { converted.source == source && converted.target == target }
}

extension ChromaSiting {
    fileprivate static let tried: [ChromaSiting] = [.left, .topLeft, .center]
}

/// The program that runs the kernels, made once.
private final class ARM64Program: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private static let compiler = "aarch64-linux-gnu-gcc", processor = "qemu-aarch64"

    static let canBeMade: Bool = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return ["swiftc", compiler, processor].allSatisfy { name in
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
        }
    }()

    private let folder: URL

    init() throws {
        folder = URL(fileURLWithPath: NSTemporaryDirectory())
            .appendingPathComponent("gst-hdr-arm64-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs")
        let sources = programs.appendingPathComponent("../../../Sources").standardizedFileURL
        let headers = ["CKernels", "CSIMD"].map { sources.appendingPathComponent("\($0)/include").path }
        try Data("module CSIMD { header \"\(headers[1])/CSIMD.h\" export * }".utf8)
            .write(to: folder.appendingPathComponent("module.modulemap"))
        let kernels = sources.appendingPathComponent("HDRVectorKernels")
        let files = try FileManager.default.subpathsOfDirectory(atPath: kernels.path).filter {
            $0.hasSuffix(".swift") && !$0.hasPrefix("FixedPoint/")
        }
        try run(
            "swiftc",
            [
                "-target", "aarch64-none-none-elf", "-enable-experimental-feature", "Embedded", "-wmo", "-O",
                "-parse-as-library", "-Xfrontend", "-disable-stack-protector", "-module-name", "HDRVectorKernels",
                "-package-name", "gst_hdr",
                "-I", folder.path, "-I", headers[0], "-Xcc", "-ffreestanding", "-Xcc", "-isystem", "-Xcc",
                programs.appendingPathComponent("freestanding").path, "-c", "-o", path("kernels.o"),
            ] + files.sorted().map { kernels.appendingPathComponent($0).path })
        try run(
            Self.compiler,
            ["-O1", "-static-pie"] + headers.map { "-I\($0)" }
                + [programs.appendingPathComponent("convert.c").path, path("kernels.o"), "-o", path("convert")])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func run(_ program: String, _ arguments: [String]) throws {
        let output = try OutputFile()
        let process = try ChildProcess(program, arguments, output: output.handle, errors: output.handle)
        guard let ending = process.wait(.seconds(300)), ending.status == 0 else {
            throw Failure(description: "\(program): \(process.ending.map { "\($0)" } ?? "hangs"): \(output.text)")
        }
    }

    /// The output of the kernels for a picture, with `quality=balanced`.
    func convert(_ job: Job, _ source: Picture) throws -> Picture {
        let target = Picture(job.format.target, source.width, source.height)
        let maker = CurveMaker(cells: 0, .balanced, target: job.format.target)
        var plan = KernelPlan(job.plan, job.format, maker.store)
        plan.color = KernelPlanner(job.plan, maker).color()
        plan.is_inside = job.plan.staysInsideCodes ? 1 : 0

        var file = PlanFile(maker.store)
        file.move(&plan)
        if job.plan.contrastRecovery > 0, let map = RecoveryMap(width: source.width, height: source.height) {
            file.appendCells(&plan, map)
        }
        let from = file.append(source)
        let to = file.append(target)
        let name = UUID().uuidString
        try file.data(plan, from, to).write(to: folder.appendingPathComponent(name))
        defer { for end in ["", ".out"] { try? FileManager.default.removeItem(atPath: path(name + end)) } }
        try run(Self.processor, [path("convert"), path(name), path(name + ".out")])
        let result = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name + ".out")))
        target.fill(content: result[file.lastPicture...])
        return target
    }
}

/// A plan with all that it points to, as `Programs/convert.c` reads it.
private struct PlanFile {
    private static let headerSize = MemoryLayout<KernelPlan>.stride + 2 * MemoryLayout<KernelFrame>.stride
    private var bytes = [UInt8](repeating: 0, count: headerSize)
    private var tables: [(start: Int, count: Int, place: Int)] = []
    /// The position of the first plane of the picture that was appended last.
    private(set) var lastPicture = 0

    init(_ store: TableStore) {
        tables = store.allBlocks.map { block in
            (Int(bitPattern: block.baseAddress!), block.count, append(UnsafeRawBufferPointer(block)))
        }
    }

    /// - Returns: its distance from the start.
    private mutating func append<Bytes: Sequence<UInt8>>(_ more: Bytes) -> Int {
        while bytes.count % 64 != 0 { bytes.append(0) }
        defer { bytes += more }
        return bytes.count
    }

    /// Converts pointers to tables to distances from the start.
    func move(_ plan: inout KernelPlan) {
        plan.bias = moved(plan.bias)
        plan.color.perceptual.reach = moved(plan.color.perceptual.reach)
        for curve in [
            \KernelColor.eotf, \.ootf, \.inverse_ootf, \.curve, \.compand, \.expand, \.oetf, \.recovery_signal,
            \.recovery_gain, \.perceptual.signal,
        ] as [WritableKeyPath<KernelColor, KernelCurve>] {
            var own = plan.color[keyPath: curve]
            let isOctaves = [KernelCurveOctaves, KernelCurveScaledOctaves].contains(Int(own.kind))
            // The line of the argument 0 need not be there: that of the lowest argument is.
            let lowest = isOctaves ? 8 * Int(own.low.bitPattern >> UInt32(own.shift)) : 0
            own.table = moved(own.table, lowest)
            own.knots = moved(own.knots)
            own.logarithm = moved(own.logarithm)
            plan.color[keyPath: curve] = own
        }
    }

    /// Appends room for the cells of contrast recovery.
    mutating func appendCells(_ plan: inout KernelPlan, _ map: RecoveryMap) {
        // There is also room for a cell before the first one.
        let empty = [UInt8](repeating: 0, count: 4 * (map.count + 16))
        plan.cells = UnsafeMutablePointer(bitPattern: append(empty) + 64)
        plan.cell_gains = UnsafeMutablePointer(bitPattern: append(empty) + 64)
        plan.cell_stride = map.stride
    }

    private func moved<Number>(_ pointer: UnsafePointer<Number>?, _ ahead: Int = 0) -> UnsafePointer<Number>? {
        guard let pointer else { return nil }
        let address = Int(bitPattern: pointer) + ahead
        let table = tables.first { $0.start <= address && address < $0.start + $0.count }!
        return UnsafePointer(bitPattern: table.place + address - table.start - ahead)
    }

    mutating func append(_ picture: Picture) -> KernelFrame {
        var frame = KernelFrame(picture.view)
        var place = append(picture.content)
        lastPicture = place
        withUnsafeMutableBytes(of: &frame.data) { data in
            for (index, plane) in picture.shape.enumerated() {
                data.storeBytes(of: place, toByteOffset: 8 * index, as: Int.self)
                place += plane.rowBytes * plane.rows
            }
        }
        withUnsafeMutableBytes(of: &frame.stride) { strides in
            for (index, plane) in picture.shape.enumerated() {
                strides.storeBytes(of: plane.rowBytes, toByteOffset: 8 * index, as: Int.self)
            }
        }
        return frame
    }

    func data(_ plan: KernelPlan, _ source: KernelFrame, _ target: KernelFrame) -> Data {
        var result = Data(bytes)
        var header = Data()
        withUnsafeBytes(of: plan) { header.append(contentsOf: $0) }
        withUnsafeBytes(of: source) { header.append(contentsOf: $0) }
        withUnsafeBytes(of: target) { header.append(contentsOf: $0) }
        result.replaceSubrange(0..<header.count, with: header)
        return result
    }
}

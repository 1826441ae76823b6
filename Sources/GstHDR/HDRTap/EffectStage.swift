import CGStreamer
import GstBridge
import HDRColor
import HDREffects
import HDRKernels
import HDRMetadata

/// Processes the frames of a stream with a chain of effects.
final class EffectStage {
    let space: LightSpace
    /// The format of output frames.
    let output: VideoFormat
    /// The caps of the output format; `nil` where it is the stream's.
    private let ownCaps: OwnedCaps?
    private let chain: VideoEffectChain
    private let frames: LightFrames
    private let context: EffectContext
    private var versions: [Int]?
    private var steps = EffectSteps([])
    /// The light before and after an effect that processes whole pictures; `nil` where none does.
    private var planes: (LightMemory, LightMemory)?
    private let statistics: (before: [StatisticsEffect], after: [StatisticsEffect])
    private var meter: LightMeter?
    /// Effects that measure light between other effects, each with its meter.
    private let between: [(effect: StatisticsEffect, meter: LightRowsMeter)]
    private var light = LightStatistics()

    /// - Parameter threads: the number of threads; 0 for one per processor.
    init(
        _ chain: VideoEffectChain, _ format: VideoFormat, _ space: LightSpace, threads: Int
    ) throws(LightFrames.Unavailable) {
        let measuring = chain.statistics
        statistics = (measuring.before, measuring.after)
        self.chain = chain
        self.space = space
        if let defect = chain.defect, !chain.isLate { throw LightFrames.Unavailable(description: defect) }
        ownCaps = chain.addsAlpha ? Self.withAlpha(format) : nil
        guard let output = ownCaps.map({ VideoFormat($0.pointer) }) ?? format else {
            throw LightFrames.Unavailable(description: "There is no format with alpha for this stream")
        }
        self.output = output
        // Alpha that is found in subsampled chroma alone would have blurred edges.
        let frames = try LightFrames(
            format, output: output, .single, space, guidesChroma: chain.addsAlpha, threads: threads)
        self.frames = frames
        let signal = frames.source
        context = EffectContext(
            signal: signal.color, primaries: space.primaries, width: signal.width, height: signal.height,
            hasAlpha: signal.layout.hasAlpha || chain.addsAlpha,
            headroom: Self.headroom(signal, StaticMetadata(caps: format.caps)),
            threads: frames.threads, instructionSet: CPUChoice.current.instructionSet)
        between = measuring.between.map { effect in
            let meter = LightRowsMeter(
                light: space.primaries, stream: signal.color.primaries, white: BT2408.referenceWhite, gamut: .bt709,
                widerGamut: .displayP3, threads: frames.threads, instructionSet: CPUChoice.current.instructionSet)
            return (effect, meter)
        }
    }

    /// Caps of frames with alpha that represent all that a stream's frames contain; `nil` where these have alpha
    /// already.
    private static func withAlpha(_ format: VideoFormat) -> OwnedCaps? {
        guard let own = format.info.finfo?.pointee.name, let name = EffectFormats.withAlpha(String(cString: own)) else {
            return nil
        }
        guard let caps = OwnedCaps(copyOf: format.caps), let structure = gst_caps_get_structure(caps.pointer, 0) else {
            return nil
        }
        Caps.set(structure, "format", to: name)
        // Packed formats have no chroma site.
        if name == "AYUV" || name == "AYUV64" { Caps.removeField(caps.pointer, "chroma-site") }
        return caps
    }

    /// Measures a frame, and posts the result.
    /// - Returns: `false` where the frame differs from its caps.
    func measure(_ frame: UnsafeMutablePointer<GstVideoFrame>, isBefore: Bool, _ times: FrameTimes) -> Bool {
        let effects = isBefore ? statistics.before : statistics.after
        guard !effects.isEmpty else { return true }
        if meter == nil { meter = makeMeter() }
        guard let meter, frames.measure(frame, meter) else { return false }
        meter.read(into: &light)
        for effect in effects { effect.post(light, times) }
        return true
    }

    private func makeMeter() -> LightMeter? {
        var options = LightMeter.Options()
        (options.gamut, options.widerGamut, options.grid) = (.bt709, .displayP3, .every)
        let signal = frames.source
        return LightMeter(
            layout: signal.layout, signal: signal.color, siting: signal.siting, width: signal.width,
            height: signal.height, options: options, threads: frames.threads,
            instructionSet: CPUChoice.current.instructionSet)
    }

    /// The headroom of a stream: the peak of its mastering display, or else 1000 cd/m², relative to reference white.
    /// MaxCLL is not used, since elements that change light remove it, and a second hdrtap must find the same headroom.
    private static func headroom(_ signal: VideoSignal, _ metadata: StaticMetadata) -> Double {
        guard signal.color.transfer.isHDR else { return 1 }
        let usual = ConversionPlan.nominalHDRPeak
        let declared =
            signal.color.transfer == .pq
            ? metadata.masteringDisplay.flatMap { $0.defect == nil ? $0.peak : nil } ?? usual : usual
        return max(declared / BT2408.referenceWhite, 1)
    }

    /// A buffer for an output frame; the caller owns it.
    func makeBuffer() -> UnsafeMutablePointer<GstBuffer>? { frames.makeBuffer() }

    /// Adopts the effects' parameters.
    /// - Parameter time: stream time of the next frame, in ns; `nil` where it is not known.
    /// - Returns: `false` when out of memory.
    func update(at time: UInt64?) -> Bool {
        let now = chain.versions(at: time)
        guard now != versions else { return true }
        versions = now
        // Effects on whole pictures keep some of them, in memory whose allocation Swift cannot report as failed.
        guard hasMemory(pictures: chain.takesPictures ? 6 : 0) else { return false }
        let planned = chain.planned(for: context) { effect in between.first { $0.effect === effect }?.meter }
        steps = EffectSteps(planned, context.instructionSet)
        guard !steps.isEmpty, steps.onlyPixels == nil, planes == nil else { return true }
        guard let one = LightMemory(width: context.width, height: context.height),
            let other = LightMemory(width: context.width, height: context.height)
        else { return false }
        planes = (one, other)
        return true
    }

    /// The error text where ``update(at:)`` returns `false`.
    static let shortage = "Out of memory for the light of a whole picture, which an effect needs"

    /// Whether the present parameters leave frames unchanged.
    var isIdentity: Bool { steps.isEmpty }

    /// Whether parameters are controlled, so that frames may be changed later.
    var isControlled: Bool { chain.isControlled }

    /// Whether output frames may be other buffers than the input, for some values of the parameters.
    var makesFrames: Bool { chain.changesFrames }

    /// Whether light is measured in frames that stay unchanged.
    var measures: Bool { !statistics.before.isEmpty || !statistics.after.isEmpty }

    private func hasMemory(pictures: Int) -> Bool {
        guard pictures > 0 else { return true }
        let (pixels, overflow) = context.width.multipliedReportingOverflow(by: context.height * 16 * pictures)
        guard !overflow, let probe = g_try_malloc(gsize(pixels)) else { return false }
        g_free(probe)
        return true
    }

    /// Processes a frame into another, and posts what was measured on the way.
    /// - Returns: `false` where a frame differs from its caps.
    func process(
        _ source: UnsafeMutablePointer<GstVideoFrame>, into target: UnsafeMutablePointer<GstVideoFrame>,
        _ times: FrameTimes
    ) -> Bool {
        for one in between { one.meter.begin() }
        guard run(source, into: target) else { return false }
        for one in between {
            one.meter.read(into: &light)
            one.effect.post(light, times)
        }
        return true
    }

    private func run(
        _ source: UnsafeMutablePointer<GstVideoFrame>, into target: UnsafeMutablePointer<GstVideoFrame>
    ) -> Bool {
        if let effect = steps.onlyPixels {
            return frames.eachField(of: source, into: target) { from, into, field in
                frames.forEachSlice(into.height) { rows, thread in
                    frames.converter.process(from, into: into, rows: rows, field: field, thread: thread, effect)
                }
            }
        }
        guard let planes else { return false }
        return processWhole(source, into: target, planes)
    }

    /// Processes a frame with effects on whole pictures. Effects on single pixels run while light is read from the
    /// frame or written to it.
    private func processWhole(
        _ source: UnsafeMutablePointer<GstVideoFrame>, into target: UnsafeMutablePointer<GstVideoFrame>,
        _ memory: (LightMemory, LightMemory)
    ) -> Bool {
        var remaining = steps.steps[...]
        var first: (any LightEffect)?
        if case .pixels(let effect)? = remaining.first {
            first = effect
            remaining = remaining.dropFirst()
        }
        var last: (any LightEffect)?
        if case .pixels(let effect)? = remaining.last {
            last = effect
            remaining = remaining.dropLast()
        }
        var (light, next) = (memory.0.planes, memory.1.planes)
        let isDecoded = frames.eachField(of: source) { view, field in
            frames.forEachSlice(view.height) { rows, thread in
                frames.converter.decode(
                    view, rows: rows, into: light.field(field), field: field, thread: thread, first)
            }
        }
        guard isDecoded else { return false }
        for step in remaining {
            switch step {
            case .pixels(let effect):
                frames.forEachSlice(light.height) { rows, thread in
                    for y in rows { light.eachChunk(row: y, thread: thread) { effect.apply(to: $0) } }
                }
            case .frames(let effect):
                for pass in 0..<effect.passes {
                    frames.forEachSlice(light.height) { rows, thread in
                        effect.apply(pass: pass, light, into: next, rows: rows, thread: thread)
                    }
                }
                swap(&light, &next)
            }
        }
        return frames.eachField(of: source, into: target) { _, into, field in
            frames.forEachSlice(into.height) { rows, thread in
                frames.converter.encode(
                    light.field(field), into: into, rows: rows, field: field, thread: thread, last)
            }
        }
    }
}

/// Memory for a picture in linear light.
private final class LightMemory {
    let planes: LightPlanes
    private let memory: gpointer

    init?(width: Int, height: Int) {
        let stride = (width + 15) / 16 * 16 + 16
        // Vector loads may reach beyond the last row.
        let size = stride * (height + 1)
        guard let memory = g_try_malloc(gsize(4 * size * MemoryLayout<Float>.size + 64)) else { return nil }
        self.memory = memory
        let base = (memory + (64 - Int(bitPattern: memory) % 64)).assumingMemoryBound(to: Float.self)
        planes = LightPlanes(
            red: base, green: base + size, blue: base + 2 * size, alpha: base + 3 * size, stride: stride,
            width: width, height: height)
    }

    deinit { g_free(memory) }
}

extension LightPlanes {
    fileprivate func field(_ field: PictureField) -> LightPlanes {
        switch field {
        case .whole: self
        case .first: self.field(0)
        case .second: self.field(1)
        }
    }

    /// Calls `body` with the pixels of a row, chunk by chunk.
    fileprivate func eachChunk(row y: Int, thread: Int, _ body: (LightPixels) -> Void) {
        var x = 0
        while x < width {
            let count = min(width - x, 384)
            let at = y * stride + x
            body(
                LightPixels(
                    red: red + at, green: green + at, blue: blue + at, alpha: alpha + at, count: count, column: x,
                    row: y, thread: thread))
            x += count
        }
    }
}

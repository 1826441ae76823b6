import CKernels
import HDRVectorKernels

#if arch(x86_64)
    import HDRVectorKernelsAVX2
    import HDRVectorKernelsAVX512
#endif

extension PixelLayout {
    /// The layout of the same samples that kernels take. Grey has chroma there, sampled as that of the picture on the other
    /// side, so that none has to be resampled.
    func converted(beside other: PixelLayout? = nil) -> PixelLayout {
        if isGray { return .planar(bits, other?.horizontalShift ?? 0, other?.verticalShift ?? 0) }
        if isPacked422 { return .planar(bits, 1, 0) }
        guard isBigEndian || shiftsPixels else { return self }
        let shift = shiftsPixels ? 0 : components.first?.shift ?? 0
        func own(_ place: ComponentLayout) -> ComponentLayout {
            ComponentLayout(place.plane, place.offset, place.step, shift: place.plane == alpha?.plane ? 0 : shift)
        }
        return PixelLayout(
            packing: packing, isRGB: isRGB, bits: bits, components: components.map(own), alpha: alpha.map(own),
            hasAlpha: hasAlpha, horizontalShift: horizontalShift, verticalShift: verticalShift)
    }

    /// Whether all components lie side by side, in the higher bits of their words.
    private var shiftsPixels: Bool {
        guard packing == .words, horizontalShift == 0, let first = components.first else { return false }
        return first.shift > 0 && components.allSatisfy { $0.plane == first.plane }
    }
}

extension FormatPlan {
    /// The same with layouts that kernels take. Chroma of grey lies where the other picture's does.
    var converted: FormatPlan {
        var format = self
        format.source = source.converted(beside: target)
        format.target = target.converted(beside: source)
        if source.isGray {
            format.sourceSiting = format.targetSiting
        } else if target.isGray {
            format.targetSiting = format.sourceSiting
        }
        return format
    }
}

/// Memory for some rows of a picture in a layout that kernels take, and what brings them there from another one or back:
/// big-endian words, packed 4:2:2, and grey, whose chroma is neutral where it is read and goes nowhere where it is written.
///
/// It is made once; its threads share nothing.
final class PictureStage: @unchecked Sendable {
    private let outer: PixelLayout
    private let inner: PixelLayout
    private let width: Int
    private let instructionSet: InstructionSet
    private let repacking: KernelRepacking
    /// Rows that are held on either side of those that are converted.
    private let margin: Int
    /// Rows that are converted at a time: an even number.
    let rows: Int
    /// Bytes of a row, from one row to the next, and from the start of a thread's memory, of each plane.
    private let planes: [(bytes: Int, stride: Int, offset: Int)]
    private let memory: UnsafeMutableRawPointer
    private let threadSize: Int
    /// Whether luma is converted where it lies.
    private let keepsLuma: Bool

    /// - Parameter halvesRows: whether a row depends on its neighbours, because chroma is halved vertically.
    /// - Returns: `nil` where kernels take the layout as it is.
    init?(
        _ outer: PixelLayout, _ inner: PixelLayout, halvesRows: Bool, width: Int, threads: Int,
        _ instructionSet: InstructionSet
    ) {
        guard outer != inner else { return nil }
        margin = halvesRows ? 2 : 0
        self.outer = outer
        self.inner = inner
        self.width = width
        self.instructionSet = instructionSet
        var repacking = KernelRepacking()
        repacking.bytes_per_word = Int32(outer.bytesPerWord)
        repacking.is_big_endian = outer.isBigEndian ? 1 : 0
        let (own, staged) = (outer.components.first?.shift ?? 0, inner.components.first?.shift ?? 0)
        repacking.shift = Int32(own - staged)
        if outer.isPacked422 {
            let word = outer.bytesPerWord
            repacking.luma = Int32(outer.components[0].offset / word)
            repacking.cb = Int32(outer.components[1].offset / word)
            repacking.cr = Int32(outer.components[2].offset / word)
        }
        self.repacking = repacking

        keepsLuma = outer.isGray && !outer.isBigEndian
        let count = 1 + ((inner.components + (inner.alpha.map { [$0] } ?? [])).map(\.plane).max() ?? 0)
        let widths = (0..<count).map { inner.content(ofPlane: $0, width: width, height: 1).bytes }
        // Few enough rows for the cache of a core, and many in proportion to the margin.
        rows = keepsLuma ? 1 << 30 : max(8, min(32, (192 << 10) / max(widths.reduce(0, +), 1))) & ~1
        var offset = 0
        var planes: [(bytes: Int, stride: Int, offset: Int)] = []
        for (plane, bytes) in widths.enumerated() {
            let stride = (bytes + 64 + 63) / 64 * 64
            planes.append((bytes, stride, offset))
            let isNeutral = outer.isGray && plane > 0
            offset += stride * (isNeutral ? 1 : keepsLuma ? 0 : rows + 2 * margin + 2)
        }
        self.planes = planes
        threadSize = (offset + 127) / 64 * 64
        memory = .allocate(byteCount: threadSize * max(threads, 1), alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: threadSize * max(threads, 1))
        if outer.isGray {
            for thread in 0..<max(threads, 1) { fillChroma(memory + thread * threadSize) }
        }
    }

    deinit { memory.deallocate() }

    /// Neutral chroma.
    private func fillChroma(_ base: UnsafeMutableRawPointer) {
        let grey = 1 << (inner.bits - 1)
        for plane in planes.dropFirst() {
            for i in 0..<plane.bytes / inner.bytesPerWord {
                let place = base + plane.offset + i * inner.bytesPerWord
                if inner.bytesPerWord == 1 {
                    place.storeBytes(of: UInt8(truncatingIfNeeded: grey), as: UInt8.self)
                } else {
                    place.storeBytes(of: UInt16(truncatingIfNeeded: grey).littleEndian, as: UInt16.self)
                }
            }
        }
    }

    // MARK: Rows

    /// Rows of a plane that belong to rows of the picture.
    private func rows(_ plane: Int, _ picture: Range<Int>, _ frame: FrameView) -> Range<Int> {
        guard isHalved(plane) else { return picture }
        return picture.lowerBound / 2..<max(picture.lowerBound / 2, min((picture.upperBound + 1) / 2, frame.chromaRows))
    }

    private func isHalved(_ plane: Int) -> Bool {
        inner.verticalShift > 0 && plane > 0 && plane != inner.alpha?.plane
    }

    /// The picture's place in a thread's memory: only some rows of it are there.
    /// - Parameter first: the first row that is, of luma and of chroma.
    private func view(_ frame: FrameView, first: (luma: Int, chroma: Int), _ thread: Int) -> FrameView {
        let base = memory + thread * threadSize
        func place(_ index: Int) -> FrameView.Plane {
            guard index < planes.count else { return place(0) }
            let plane = planes[index]
            if outer.isGray && index > 0 { return FrameView.Plane(data: base + plane.offset, stride: 0) }
            if keepsLuma { return frame.plane(0) }
            let row = isHalved(index) ? first.chroma : first.luma
            return FrameView.Plane(data: base + (plane.offset - row * plane.stride), stride: plane.stride)
        }
        return frame.with(place(0), place(1), place(2), place(3))
    }

    /// Brings rows of a picture here, and those around them.
    func load(_ frame: FrameView, _ rows: Range<Int>, thread: Int) -> FrameView {
        let around = max(rows.lowerBound - margin, 0)..<min(rows.upperBound + margin, frame.height)
        // There is always a row to be read.
        let last = max(frame.chromaRows, 1)
        let chroma = min(max(around.lowerBound / 2 - 1, 0), last - 1)..<min(around.upperBound / 2 + 1, last)
        let view = view(frame, first: (around.lowerBound, chroma.lowerBound), thread)
        guard !keepsLuma else { return view }
        if outer.isPacked422 {
            for y in around { unpack(frame.row(0, y), view.row(0, y), view.row(1, y), view.row(2, y)) }
            return view
        }
        for plane in 0..<(outer.isGray ? 1 : planes.count) {
            let words = planes[plane].bytes / 2
            for y in isHalved(plane) ? chroma : around {
                repack(frame.row(plane, y), view.row(plane, y), words, writes: false)
            }
        }
        return view
    }

    /// A place for rows of a picture that are to be written.
    func place(_ frame: FrameView, _ rows: Range<Int>, thread: Int) -> FrameView {
        view(frame, first: (rows.lowerBound, rows.lowerBound / 2), thread)
    }

    /// Brings rows that have been written in a view of `place` to their picture.
    func store(_ view: FrameView, _ frame: FrameView, _ rows: Range<Int>) {
        guard !keepsLuma else { return }
        if outer.isPacked422 {
            for y in rows { pack(view.row(0, y), view.row(1, y), view.row(2, y), frame.row(0, y)) }
            return
        }
        for plane in 0..<(outer.isGray ? 1 : planes.count) {
            let words = planes[plane].bytes / 2
            for y in self.rows(plane, rows, frame) {
                repack(view.row(plane, y), frame.row(plane, y), words, writes: true)
            }
        }
    }

    // MARK: Samples

    private func repack(
        _ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer, _ words: Int, writes: Bool
    ) {
        let (from, to) = (from.assumingMemoryBound(to: UInt8.self), to.assumingMemoryBound(to: UInt8.self))
        #if arch(x86_64)
            switch instructionSet {
            case .baseline: HDRVectorKernels.repackWords(from, to, words, repacking, writes: writes)
            case .v3: HDRVectorKernelsAVX2.repackWords(from, to, words, repacking, writes: writes)
            case .v4: HDRVectorKernelsAVX512.repackWords(from, to, words, repacking, writes: writes)
            }
        #else
            HDRVectorKernels.repackWords(from, to, words, repacking, writes: writes)
        #endif
    }

    private func unpack(
        _ from: UnsafeMutableRawPointer, _ luma: UnsafeMutableRawPointer, _ cb: UnsafeMutableRawPointer,
        _ cr: UnsafeMutableRawPointer
    ) {
        let from = from.assumingMemoryBound(to: UInt8.self)
        let luma = luma.assumingMemoryBound(to: UInt8.self)
        let (cb, cr) = (cb.assumingMemoryBound(to: UInt8.self), cr.assumingMemoryBound(to: UInt8.self))
        let groups = (width + 1) / 2
        #if arch(x86_64)
            switch instructionSet {
            case .baseline: HDRVectorKernels.unpackPixels(from, groups, repacking, luma, cb, cr)
            case .v3: HDRVectorKernelsAVX2.unpackPixels(from, groups, repacking, luma, cb, cr)
            case .v4: HDRVectorKernelsAVX512.unpackPixels(from, groups, repacking, luma, cb, cr)
            }
        #else
            HDRVectorKernels.unpackPixels(from, groups, repacking, luma, cb, cr)
        #endif
    }

    private func pack(
        _ luma: UnsafeMutableRawPointer, _ cb: UnsafeMutableRawPointer, _ cr: UnsafeMutableRawPointer,
        _ to: UnsafeMutableRawPointer
    ) {
        let word = inner.bytesPerWord
        // A last column without a partner is repeated: the group has room for both.
        if width % 2 != 0 { (luma + width * word).copyMemory(from: luma + (width - 1) * word, byteCount: word) }
        let to = to.assumingMemoryBound(to: UInt8.self)
        let luma = luma.assumingMemoryBound(to: UInt8.self)
        let (cb, cr) = (cb.assumingMemoryBound(to: UInt8.self), cr.assumingMemoryBound(to: UInt8.self))
        let groups = (width + 1) / 2
        #if arch(x86_64)
            switch instructionSet {
            case .baseline: HDRVectorKernels.packPixels(to, groups, repacking, luma, cb, cr)
            case .v3: HDRVectorKernelsAVX2.packPixels(to, groups, repacking, luma, cb, cr)
            case .v4: HDRVectorKernelsAVX512.packPixels(to, groups, repacking, luma, cb, cr)
            }
        #else
            HDRVectorKernels.packPixels(to, groups, repacking, luma, cb, cr)
        #endif
    }
}

/// Stages of both pictures of a conversion.
struct PictureStages: Sendable {
    private let source: PictureStage?
    private let target: PictureStage?
    private let rows: Int

    /// - Returns: `nil` where kernels take both layouts as they are.
    init?(_ format: FormatPlan, width: Int, threads: Int, _ instructionSet: InstructionSet) {
        let converted = format.converted
        let halvesRows = converted.source.verticalShift > 0 || converted.target.verticalShift > 0
        func stage(_ outer: PixelLayout, _ inner: PixelLayout) -> PictureStage? {
            PictureStage(outer, inner, halvesRows: halvesRows, width: width, threads: threads, instructionSet)
        }
        source = stage(format.source, converted.source)
        target = stage(format.target, converted.target)
        guard source != nil || target != nil else { return nil }
        rows = min(source?.rows ?? .max, target?.rows ?? .max)
    }

    /// Converts rows `[first, end)`, some at a time.
    func convert(
        _ source: FrameView, _ target: FrameView, _ first: Int, _ end: Int, thread: Int,
        _ convertBand: (FrameView, FrameView, Int, Int, Int) -> Void
    ) {
        var y = first
        while y < end {
            let next = min(y + rows, end)
            let from = self.source?.load(source, y..<next, thread: thread) ?? source
            let to = self.target?.place(target, y..<next, thread: thread) ?? target
            convertBand(from, to, y, next, thread)
            self.target?.store(to, target, y..<next)
            y = next
        }
    }
}

import CKernels
import HDRColor

extension PixelLayout {
    /// The layout that kernels use for the same samples. Grey gets chroma in it, with the subsampling of the picture on
    /// the other side, so that nothing is resampled.
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

    /// Whether kernels that copy samples one by one support this big-endian layout directly: components in planes of
    /// their own, or chroma in one plane, without alpha; or interleaved 16-bit components.
    fileprivate var isMovedInItsOrder: Bool {
        guard isBigEndian, packing == .words, !isGray, !isPacked422, components.count == 3 else { return false }
        return components[1].plane != components[0].plane ? alpha == nil : bits == 16
    }

    /// Whether all components of a pixel are adjacent, each in the higher bits of its word.
    private var shiftsPixels: Bool {
        guard packing == .words, horizontalShift == 0, let first = components.first else { return false }
        return first.shift > 0 && components.allSatisfy { $0.plane == first.plane }
    }
}

extension FormatPlan {
    /// This plan with layouts that kernels support. Grey takes the other picture's chroma siting.
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

    /// This plan in the form for vector kernels, which can copy samples in either byte order.
    func converted(for plan: ConversionPlan) -> FormatPlan {
        var format = converted
        guard format.isDirect(plan) else { return format }
        if source.isMovedInItsOrder { format.source = source }
        if target.isMovedInItsOrder { format.target = target }
        return format
    }
}

/// A staging buffer for pictures in a layout that kernels do not support: big-endian words, packed 4:2:2, and grey.
/// Some rows at a time are rearranged into it before they are converted, or out of it afterwards. Grey is read with
/// neutral chroma, and its chroma is dropped when it is written.
///
/// It is made once, at negotiation; each thread has memory of its own.
final class PictureStage: @unchecked Sendable {
    private let outer: PixelLayout
    private let inner: PixelLayout
    private let width: Int
    private let kernels: KernelTable
    private let repacking: KernelRepacking
    /// The number of rows that are also held above and below those that are converted.
    private let margin: Int
    /// The number of rows that are converted at a time, which is even.
    let rows: Int
    /// For each plane: the bytes of a row, the bytes from one row to the next, and the offset in a thread's memory.
    private let planes: [(bytes: Int, stride: Int, offset: Int)]
    private let memory: UnsafeMutableRawPointer
    private let threadSize: Int
    /// Whether luma is read or written in the picture itself.
    private let keepsLuma: Bool

    /// - Parameter margin: the number of rows that the conversion reads above and below the ones that it converts,
    ///   which is even.
    /// - Returns: `nil` where kernels support the layout directly.
    init?(
        _ outer: PixelLayout, _ inner: PixelLayout, margin: Int, width: Int, threads: Int, _ kernels: KernelTable
    ) {
        guard outer != inner else { return nil }
        self.margin = margin
        self.outer = outer
        self.inner = inner
        self.width = width
        self.kernels = kernels
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
        // A slice fits the first-level cache; with a margin it has more rows, so that the margin weighs less, and fits
        // the second-level cache.
        let (least, cache) = margin == 0 ? (2, 24 << 10) : (8, 192 << 10)
        rows = keepsLuma ? 1 << 30 : max(least, min(32, cache / max(widths.reduce(0, +), 1))) & ~1
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

    /// Writes neutral chroma.
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

    /// The rows of a plane that belong to `picture`, rows of the picture.
    private func rows(_ plane: Int, _ picture: Range<Int>, _ frame: FrameView) -> Range<Int> {
        guard isHalved(plane) else { return picture }
        return picture.lowerBound / 2..<max(picture.lowerBound / 2, min((picture.upperBound + 1) / 2, frame.chromaRows))
    }

    private func isHalved(_ plane: Int) -> Bool {
        inner.verticalShift > 0 && plane > 0 && plane != inner.alpha?.plane
    }

    /// A view of the whole picture in a thread's memory, which holds only some of its rows.
    /// - Parameter first: the first row of luma and of chroma that it holds.
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

    /// Rearranges rows of a picture, and those of the margin, into the buffer.
    /// - Parameter lumaTarget: the picture that luma is written to instead, because the conversion keeps it; only
    ///   without a margin.
    func load(_ frame: FrameView, _ rows: Range<Int>, thread: Int, lumaTarget: FrameView? = nil) -> FrameView {
        let around = max(rows.lowerBound - margin, 0)..<min(rows.upperBound + margin, frame.height)
        // There is at least one chroma row to read.
        let last = max(frame.chromaRows, 1)
        let beyond = margin == 0 ? 0 : 1
        let firstChroma = min(max(around.lowerBound / 2 - beyond, 0), last - 1)
        let chroma = firstChroma..<max(firstChroma + 1, min((around.upperBound + 1) / 2 + beyond, last))
        let view = view(frame, first: (around.lowerBound, chroma.lowerBound), thread)
        guard !keepsLuma else { return view }
        if outer.isPacked422 {
            let view = lumaTarget.map { view.with($0.plane(0), view.plane(1), view.plane(2), view.plane(3)) } ?? view
            unpack(frame, view, around)
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

    /// Splits rows of packed 4:2:2 into the planes of a picture.
    func unpack(_ frame: FrameView, _ target: FrameView, _ rows: Range<Int>) {
        for y in rows { unpack(frame.row(0, y), target.row(0, y), target.row(1, y), target.row(2, y)) }
    }

    /// A view of the buffer for rows of a picture that are to be written.
    func place(_ frame: FrameView, _ rows: Range<Int>, thread: Int) -> FrameView {
        view(frame, first: (rows.lowerBound, rows.lowerBound / 2), thread)
    }

    /// Rearranges rows that have been written to a view from `place` into their picture.
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

    private func repack(_ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer, _ words: Int, writes: Bool) {
        kernels.repack_words(from.bytes, to.bytes, words, repacking, writes ? 1 : 0)
    }

    private func unpack(
        _ from: UnsafeMutableRawPointer, _ luma: UnsafeMutableRawPointer, _ cb: UnsafeMutableRawPointer,
        _ cr: UnsafeMutableRawPointer
    ) {
        kernels.unpack_pixels(from.bytes, (width + 1) / 2, repacking, luma.bytes, cb.bytes, cr.bytes)
    }

    private func pack(
        _ luma: UnsafeMutableRawPointer, _ cb: UnsafeMutableRawPointer, _ cr: UnsafeMutableRawPointer,
        _ to: UnsafeMutableRawPointer
    ) {
        let word = inner.bytesPerWord
        // An odd width ends with half a group: its last pixel is repeated.
        if width % 2 != 0 { (luma + width * word).copyMemory(from: luma + (width - 1) * word, byteCount: word) }
        kernels.pack_pixels(to.bytes, (width + 1) / 2, repacking, luma.bytes, cb.bytes, cr.bytes)
    }
}

extension UnsafeMutableRawPointer {
    fileprivate var bytes: UnsafeMutablePointer<UInt8> { assumingMemoryBound(to: UInt8.self) }
}

extension FormatPlan {
    /// The number of rows above and below its own that the conversion of a row reads: 0 where chroma keeps its rows,
    /// and 0 where the chroma of two rows becomes their mean.
    fileprivate func margin(_ plan: ConversionPlan) -> Int {
        if isDirect(plan) { return 0 }
        let needsRowAbove = chromaMode == .linear && targetSiting.verticallyCosited
        return source.verticalShift > 0 || target.verticalShift > 0 && needsRowAbove ? 2 : 0
    }
}

/// The staging buffers of a conversion's source and target.
struct PictureStages: Sendable {
    private let source: PictureStage?
    private let target: PictureStage?
    private let rows: Int
    /// Whether the source's luma is unpacked straight into the target, which holds the same words.
    private let keepsLuma: Bool
    /// Whether unpacking the source is all of the conversion.
    private let unpacksOnly: Bool

    /// - Parameter converted: `format` with the layouts that the conversion supports.
    /// - Returns: `nil` where it supports both layouts directly.
    init?(
        _ plan: ConversionPlan, _ format: FormatPlan, _ converted: FormatPlan, width: Int, threads: Int,
        _ kernels: KernelTable
    ) {
        let margin = converted.margin(plan)
        func stage(_ outer: PixelLayout, _ inner: PixelLayout) -> PictureStage? {
            PictureStage(outer, inner, margin: margin, width: width, threads: threads, kernels)
        }
        source = stage(format.source, converted.source)
        target = stage(format.target, converted.target)
        guard source != nil || target != nil else { return nil }
        rows = min(source?.rows ?? .max, target?.rows ?? .max)
        // Unpacking writes pairs of pixels, and with an odd width one pixel beyond the end of a row.
        keepsLuma =
            format.source.isPacked422 && target == nil && margin == 0 && width % 2 == 0
            && converted.keepsLumaWords(plan)
        unpacksOnly =
            format.source.isPacked422 && target == nil && width % 2 == 0 && converted.source == converted.target
            && converted.isDirect(plan) && converted.keepsCodes(plan)
    }

    /// Converts rows `[first, end)`, some at a time.
    func convert(
        _ source: FrameView, _ target: FrameView, _ first: Int, _ end: Int, thread: Int,
        _ convertSlice: (FrameView, FrameView, Int, Int, Int) -> Void
    ) {
        var y = first
        while y < end {
            let next = min(y + rows, end)
            if unpacksOnly, let unpacker = self.source {
                unpacker.unpack(source, target, y..<next)
                y = next
                continue
            }
            let lumaTarget = keepsLuma ? target : nil
            let from = self.source?.load(source, y..<next, thread: thread, lumaTarget: lumaTarget) ?? source
            let to = self.target?.place(target, y..<next, thread: thread) ?? target
            convertSlice(from, to, y, next, thread)
            self.target?.store(to, target, y..<next)
            y = next
        }
    }
}

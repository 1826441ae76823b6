import CKernels
import Glibc
import HDRColor

/// The steps of contrast recovery on a whole picture before it is converted.
package enum RecoveryStep: CaseIterable, Sendable {
    /// Measures the light of each cell.
    case measure
    /// Computes the gain of the light around each cell.
    case smooth
}

/// The memory that contrast recovery needs in addition to a picture: a signal and a gain for each cell of 8x8 pixels.
/// It is allocated once, for pictures of one size.
package final class RecoveryMap: @unchecked Sendable {
    package let width: Int
    package let height: Int
    /// The number of values from one row of cells to the next. A row has room for one cell before it and for vectors
    /// beyond it.
    let stride: Int
    /// The number of values in each of the two planes, from their first cell on.
    let count: Int
    /// The planes' first cells: single precision for kernels, double for the definition.
    let signals: UnsafeMutableRawPointer
    let gains: UnsafeMutableRawPointer
    private let memory: UnsafeMutableRawPointer

    static func cells(_ pixels: Int) -> Int { (pixels + ContrastRecovery.cell - 1) / ContrastRecovery.cell }

    /// - Returns: `nil` for a picture without pixels, and when out of memory.
    package init?(width: Int, height: Int) {
        guard width > 0, height > 0, width <= 1 << 20, height <= 1 << 20 else { return nil }
        self.width = width
        self.height = height
        stride = (Self.cells(width) + 31) / 16 * 16 + 48
        count = stride * Self.cells(height)
        let size = (count + 16) * MemoryLayout<Double>.stride
        var found: UnsafeMutableRawPointer?
        guard posix_memalign(&found, 64, 2 * size) == 0, let found else { return nil }
        memory = found
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 2 * size)
        signals = memory + 64
        gains = memory + (size + 64)
    }

    deinit { free(memory) }

    /// `map` where it is for pictures of this size, otherwise a new one; `nil` when out of memory.
    package static func fitting(_ map: RecoveryMap?, width: Int, height: Int) -> RecoveryMap? {
        map?.width == width && map?.height == height ? map : RecoveryMap(width: width, height: height)
    }
}

/// The steps before a picture is converted, for any kind of converter.
struct RecoveryPreparation: Sendable {
    typealias Run = @Sendable (FrameView, RecoveryStep, Range<Int>, Int) -> Void

    let map: RecoveryMap
    /// Converts pictures to a layout that the conversion supports; `nil` where theirs is supported.
    let stage: PictureStage?
    let run: Run

    /// - Returns: `nil` without a map, and where no samples have to be rearranged.
    static func stage(
        _ map: RecoveryMap?, _ outer: PixelLayout, _ inner: PixelLayout, width: Int, threads: Int,
        _ kernels: KernelTable
    ) -> PictureStage? {
        // The margin ensures that there is always room for a row of cells.
        map == nil ? nil : PictureStage(outer, inner, margin: 2, width: width, threads: threads, kernels)
    }

    func callAsFunction(_ source: FrameView, _ step: RecoveryStep, slice index: Int, of slices: Int, thread: Int) {
        let cells = RecoveryMap.cells(source.height)
        let rows = cells * index / slices..<cells * (index + 1) / slices
        guard !rows.isEmpty else { return }
        guard step == .measure, let stage else { return run(source, step, rows, thread) }
        let most = max(stage.rows / ContrastRecovery.cell, 1)
        var row = rows.lowerBound
        while row < rows.upperBound {
            let next = min(row + most, rows.upperBound)
            let pixels = ContrastRecovery.cell * row..<min(ContrastRecovery.cell * next, source.height)
            run(stage.load(source, pixels, thread: thread), step, row..<next, thread)
            row = next
        }
    }
}

import CKernels
import HDRColor

/// The curves of a conversion that the next one can reuse: those that do not depend on what changed. Where a peak
/// changes with each picture, most of the time for a new conversion would go into fitting the same curves again.
///
/// It is accessed only while a conversion is made, and conversions that replace each other are made one after the
/// other.
final class CurveCache: @unchecked Sendable {
    /// The parameters from which a curve is made.
    struct Key: Equatable {
        enum Role {
            case eotf, oetf, compand, expand, coneSignal
        }
        let role: Role
        let source: ColorSignal
        let target: ColorSignal
        let numbers: [Double]
        let quality: Quality
        let cells: Int
        let isCoarse: Bool
        let isRGB: Bool
    }

    private struct Entry {
        let key: Key
        let curve: KernelCurve
        let store: TableStore
        var isUsed = true
    }
    private var entries: [Entry] = []
    private var perceptual: (key: PerceptualFit.Key, fit: PerceptualFit)?

    /// Removes the curves that the last conversion did not use.
    func begin() {
        entries.removeAll { !$0.isUsed }
        for index in entries.indices { entries[index].isUsed = false }
    }

    /// - Returns: the curve for a key, and the owner of its tables.
    func curve(_ key: Key, _ make: () -> (KernelCurve, TableStore)) -> (KernelCurve, TableStore) {
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index].isUsed = true
            return (entries[index].curve, entries[index].store)
        }
        let (curve, store) = make()
        entries.append(Entry(key: key, curve: curve, store: store))
        return (curve, store)
    }

    func perceptualFit(_ key: PerceptualFit.Key) -> PerceptualFit {
        if let perceptual, perceptual.key == key { return perceptual.fit }
        let fit = PerceptualFit.shared(key)
        perceptual = (key, fit)
        return fit
    }
}

extension CurveMaker {
    /// A curve from the cache, or made now.
    /// - Parameters:
    ///   - numbers: all that the curve depends on besides the two signals and the target's codes.
    ///   - factor: the factor of its values.
    ///   - make: makes the curve with the maker that it is passed.
    func kept(
        _ role: CurveCache.Key.Role, _ plan: ConversionPlan, _ numbers: [Double], factor: Double = 1,
        _ make: (CurveMaker) -> KernelCurve
    ) -> KernelCurve {
        let key = CurveCache.Key(
            role: role, source: plan.source, target: plan.target, numbers: numbers, quality: quality, cells: cells,
            isCoarse: isCoarse, isRGB: isRGB)
        var (curve, owner) = cache.curve(key) {
            let own = withStoreOfItsOwn
            return (make(own), own.store)
        }
        store.keep(owner)
        guard factor != 1, let table = curve.table else { return curve }
        let values = owner.table(at: table)
        let scale = Float(curve.squares != 0 ? factor.squareRoot() : factor)
        curve.table = store.make(values.map { $0 * scale })
        return curve
    }
}

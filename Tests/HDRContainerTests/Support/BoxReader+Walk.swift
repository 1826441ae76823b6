@testable import HDRContainer

extension BoxReader {
    /// Types whose payload is boxes, behind a version where the type has one.
    static let containers: Set<FourCC> = [
        "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "udta", "mvex", "moof", "traf", "mfra", "meta", "gmhd",
        "tapt", "tref",
    ]

    /// Visits boxes in the order of the file, parents first; `maximumDepth` levels and no deeper.
    func walk(
        maximumDepth: Int = 16, _ visit: (_ box: Box, _ depth: Int) throws -> Void
    ) throws {
        var levels = [boxes()]
        while var level = levels.popLast() {
            guard let box = try level.next() else { continue }
            levels.append(level)
            try visit(box, levels.count - 1)
            if Self.containers.contains(box.type), levels.count < maximumDepth {
                levels.append(boxes(in: children(of: box)))
            }
        }
    }
}

/// st_ref_pic_set() of H.265 7.3.7 and 7.4.8, parsed for its length: a set may be coded as the difference to the
/// previous one, so that its size depends on that one's pictures.
enum HEVCReferenceSets {
    /// Distances of the set's pictures, those before the current picture first.
    private typealias Pictures = (before: [Int], after: [Int])

    static func skip(_ reader: inout RBSPReader) throws(BitstreamError) {
        let count = try reader.unsigned(upTo: 64, "num_short_term_ref_pic_sets")
        var previous: Pictures?
        for _ in 0..<count {
            if let last = previous, try reader.flag() {
                previous = try difference(to: last, &reader)
            } else {
                previous = try list(&reader)
            }
        }
    }

    private static func list(_ reader: inout RBSPReader) throws(BitstreamError) -> Pictures {
        let before = try reader.unsigned(upTo: 16, "num_negative_pics")
        let after = try reader.unsigned(upTo: 16 - before, "num_positive_pics")
        return (try distances(before, sign: -1, &reader), try distances(after, sign: 1, &reader))
    }

    private static func distances(
        _ count: Int, sign: Int, _ reader: inout RBSPReader
    ) throws(BitstreamError) -> [Int] {
        var result: [Int] = []
        var distance = 0
        for _ in 0..<count {
            distance += sign * (1 + (try reader.unsigned(upTo: 1 << 15, "a delta_poc_minus1 of")))
            try reader.skip(1)
            result.append(distance)
        }
        return result
    }

    private static func difference(
        to last: Pictures, _ reader: inout RBSPReader
    ) throws(BitstreamError) -> Pictures {
        let isNegative = try reader.flag()
        let size = 1 + (try reader.unsigned(upTo: 1 << 15, "abs_delta_rps_minus1"))
        let delta = isNegative ? -size : size
        let pictures = last.before + last.after
        var isUsed: [Bool] = []
        for _ in 0...pictures.count {
            // use_delta_flag is there only for pictures that the current one does not use.
            isUsed.append(try reader.flag() ? true : try reader.flag())
        }
        // (7-61) and (7-62) put the closest picture first.
        let candidates = zip(pictures + [0], isUsed).filter { $0.1 }.map { $0.0 + delta }
        let before = candidates.filter { $0 < 0 }.sorted(by: >)
        let after = candidates.filter { $0 > 0 }.sorted()
        guard before.count + after.count <= 16 else { throw reader.failure("has a reference set of over 16 pictures") }
        return (before, after)
    }
}

/// A profile of H.265 (annex A.3), by the names that caps and libx265 have for it.
struct StreamProfile {
    /// The name in caps.
    let name: String
    /// The name in libx265.
    let x265Name: String
    /// The bit depths of the samples, and their chroma formats.
    private let depths: [Int32]
    private let chroma: InputFormat.Chroma
    /// Whether libx265 has to be given the name, because it declares another profile by itself.
    let isSpecial: Bool

    func holds(_ format: InputFormat) -> Bool { depths.contains(format.depth) && chroma == format.chroma }

    private static let common: [(name: String, x265Name: String, depths: [Int32], chroma: InputFormat.Chroma)] = [
        ("main", "main", [8], .quarter), ("main-10", "main10", [10], .quarter), ("main-12", "main12", [12], .quarter),
        ("main-422-10", "main422-10", [8, 10], .half), ("main-422-12", "main422-12", [12], .half),
        ("main-444", "main444-8", [8], .full), ("main-444-10", "main444-10", [10], .full),
        ("main-444-12", "main444-12", [12], .full),
    ]

    static let all: [StreamProfile] =
        common.map { StreamProfile($0.name, $0.x265Name, $0.depths, $0.chroma, isSpecial: false) }
        + common.map {
            let own = $0.name == "main-444" ? "main444" : $0.x265Name
            return StreamProfile("\($0.name)-intra", "\(own)-intra", $0.depths, $0.chroma, isSpecial: true)
        }

    private init(
        _ name: String, _ x265Name: String, _ depths: [Int32], _ chroma: InputFormat.Chroma, isSpecial: Bool
    ) {
        self.name = name
        self.x265Name = x265Name
        self.depths = depths
        self.chroma = chroma
        self.isSpecial = isSpecial
    }

    /// The profile name to give to libx265 where only some profiles are allowed; `nil` for none.
    static func request(_ format: InputFormat, among allowed: [String]) -> String? {
        let fitting = all.filter { allowed.contains($0.name) && $0.holds(format) }
        return fitting.contains { !$0.isSpecial } ? nil : fitting.first?.x265Name
    }
}

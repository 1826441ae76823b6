import HDRPipeline

/// The size of a picture that is made from several clips.
enum JoinedSize {
    case largest, first
    case fixed(Int, Int)

    /// - Parameter text: `largest`, `first` or a size such as 1920x1080.
    init(_ text: String) throws(UsageError) {
        switch text {
        case "largest": self = .largest
        case "first": self = .first
        default:
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard sides.count == 2, sides.allSatisfy({ (1...99999).contains($0) }) else {
                throw UsageError(
                    "--size cannot be \(text): choose largest, first or WIDTHxHEIGHT such as 1920x1080")
            }
            self = .fixed(sides[0], sides[1])
        }
    }

    /// The chosen size among those of the clips, of which there is at least one.
    func chosen(of sizes: [(width: Int, height: Int)]) -> (width: Int, height: Int) {
        switch self {
        case .fixed(let width, let height): (width, height)
        case .first: sizes[0]
        // The first of the largest.
        case .largest: sizes.dropFirst().reduce(sizes[0]) { $1.0 * $1.1 > $0.0 * $0.1 ? $1 : $0 }
        }
    }

    /// The size that a preset makes from it; a fixed size stays.
    func made(
        of sizes: [(width: Int, height: Int)], _ asked: ExportOptions, _ fileType: String
    ) throws -> (width: Int, height: Int) {
        let chosen = chosen(of: sizes)
        if case .fixed = self { return chosen }
        let caps =
            "video/x-raw, format=P010_10LE, width=\(chosen.width), height=\(chosen.height), framerate=30/1, "
            + "colorimetry=bt2100-hlg"
        let element = try ExportOptions.make([("preset", asked.preset), ("file-type", fileType)])
        guard let made = try element.emit("settings-for", caps, as: Structure.self),
            let width: Int = made["width"], let height: Int = made["height"]
        else { return chosen }
        return (width, height)
    }
}

import HDRPipeline

/// Two views of the picture: the whole, and an enlarged part of it.
enum SecondView: String, CaseIterable {
    case off
    /// The whole, and a part of it enlarged in a corner.
    case part
    /// The part, and the whole in a corner.
    case whole

    /// The share of the picture's width and height that is enlarged.
    static let share = 0.2
    /// The share of the window's width and height that the corner has.
    private static let corner = 0.3
    private static let margin = 0.03

    var next: SecondView {
        switch self {
        case .off: .part
        case .part: .whole
        case .whole: .off
        }
    }

    /// The values for edrsink's property `views`.
    /// - Parameter center: the middle of the part, as fractions of the picture.
    func structures(around center: (x: Double, y: Double)) -> [String] {
        func start(_ middle: Double) -> Double { min(max(middle - Self.share / 2, 0), 1 - Self.share) }
        let part =
            ",source-x=(double)\(start(center.x)),source-y=(double)\(start(center.y))"
            + ",source-width=(double)\(Self.share),source-height=(double)\(Self.share)"
        let place =
            ",x=(double)\(1 - Self.corner - Self.margin),y=(double)\(Self.margin)"
            + ",width=(double)\(Self.corner),height=(double)\(Self.corner)"
        switch self {
        case .off: return []
        case .part: return ["view", "view" + part + place]
        case .whole: return ["view" + part, "view" + place]
        }
    }
}

extension Player {
    /// Shows the views, with the enlarged part around a point.
    func show(_ view: SecondView) {
        secondView = view
        let structures = view.structures(around: viewCenter).compactMap { try? Structure($0) }
        try? sink.set("views", to: structures)
    }

    /// Moves the enlarged part to a pixel of the picture.
    func moveView(x: Double, y: Double) {
        guard secondView != .off, let format = sink.format(ofPad: "sink"), var width: Double = format["width"],
            var height: Double = format["height"], width > 0, height > 0
        else { return }
        // Pixels are counted in the picture as it is seen, upright.
        let orientation = (try? sink.pad("sink"))?.tag("image-orientation") ?? ""
        if orientation.hasSuffix("90") || orientation.hasSuffix("270") { (width, height) = (height, width) }
        viewCenter = (min(max(x / width, 0), 1), min(max(y / height, 0), 1))
        show(secondView)
    }
}

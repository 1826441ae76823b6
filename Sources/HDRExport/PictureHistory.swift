import HDRMetadata

/// How the pictures that metadata describe became those that an export gets: what the elements between have done to
/// them, in order.
package struct PictureHistory: Equatable, Sendable {
    /// Pixels of a picture, and their shape.
    package struct Raster: Equatable, Sendable {
        package var size: FrameSize
        /// Width to height of a pixel.
        package var pixelAspect: Fraction

        package init(_ size: FrameSize, pixelAspect: Fraction = .one) {
            self.size = size
            self.pixelAspect = pixelAspect
        }
    }

    package enum Change: Equatable, Sendable {
        /// Mirrored left to right where `isMirrored`, and then turned clockwise by 0, 90, 180 or 270 degrees.
        case turn(by: Int, isMirrored: Bool)
        /// Pixels cut off at the edges; where negative, added there in black.
        case cut(FrameInsets)
        /// The whole picture scaled into the new one.
        /// Where it does not fill the frame, it keeps its shape, and black borders are added around it, as `videoscale`
        /// does.
        case scale(fillsFrame: Bool)
        /// The size is another one afterwards, and nobody says why.
        case unknown
    }

    package struct Step: Equatable, Sendable {
        package var before: Raster
        package var change: Change
        package var after: Raster

        package init(_ before: Raster, _ change: Change, _ after: Raster) {
            self.before = before
            self.change = change
            self.after = after
        }
    }

    package var steps: [Step]

    package init(_ steps: [Step] = []) { self.steps = steps }

    /// What was done since pictures had the size that metadata describe.
    /// - Returns: `nil` where they never had it.
    private func steps(since described: FrameSize) -> ArraySlice<Step>? {
        if let start = steps.firstIndex(where: { $0.before.size == described }) { return steps[start...] }
        return steps.last?.after.size == described ? [] : nil
    }

    /// Whether pictures may have lost some of what metadata describe.
    /// - Parameters:
    ///   - described: the size of the pictures that they are about.
    ///   - source: of those that the export gets.
    package func isCropped(_ described: FrameSize, to source: FrameSize) -> Bool {
        guard described.width > 0, described.height > 0 else { return false }
        guard let steps = steps(since: described) else { return described.isCropped(to: source) }
        return steps.contains { step in
            switch step.change {
            case .turn, .scale: false
            case .cut(let edges): max(edges.left, edges.right, edges.top, edges.bottom) > 0
            // A picture of the same shape may have been cropped and scaled.
            case .unknown: step.before.size.transposed != step.after.size
            }
        }
    }

    /// An area of the described picture in one that the export gets.
    /// - Returns: `nil` where these steps do not lead from one to the other.
    package func area(_ area: ActiveArea, of described: FrameSize) -> ActiveArea? {
        steps(since: described)?.reduce(area) { $0.following($1) }
    }
}

extension ActiveArea {
    fileprivate func following(_ step: PictureHistory.Step) -> ActiveArea {
        var area = self
        let (before, after) = (step.before, step.after)
        switch step.change {
        case .turn(let angle, let isMirrored): area.turn(by: angle, isMirrored: isMirrored)
        case .cut(let edges):
            area = ActiveArea(
                left: max(left - Double(edges.left), 0), right: max(right - Double(edges.right), 0),
                top: max(top - Double(edges.top), 0), bottom: max(bottom - Double(edges.bottom), 0))
        case .scale(let fillsFrame):
            let whole = FrameGeometry(
                turn: 0, displayRotation: 0, crop: .zero, scaled: after.size, borders: .zero, frame: after.size,
                pixelAspectRatio: after.pixelAspect, isScaled: true)
            let geometry = fillsFrame ? whole : whole.fitting(before.size, pixelAspect: before.pixelAspect)
            area = area.following(geometry, from: before.size)
        case .unknown: area = area.following(from: before.size, to: after.size)
        }
        return area
    }
}

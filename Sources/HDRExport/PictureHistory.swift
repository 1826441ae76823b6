import HDRMetadata

/// The steps from the pictures that metadata describe to those that an export gets: what the elements between have
/// done, in order.
package struct PictureHistory: Equatable, Sendable {
    /// The size of a picture in pixels, and their aspect ratio.
    package struct Raster: Equatable, Sendable {
        package var size: FrameSize
        /// The pixel aspect ratio, width over height.
        package var pixelAspect: Fraction

        package init(_ size: FrameSize, pixelAspect: Fraction = .one) {
            self.size = size
            self.pixelAspect = pixelAspect
        }
    }

    package enum Change: Equatable, Sendable {
        /// The picture is mirrored left to right if `isMirrored`, and then rotated clockwise by 0, 90, 180 or 270
        /// degrees.
        case turn(by: Int, isMirrored: Bool)
        /// Pixels are cut off at the edges, or added there in black where negative.
        case cut(FrameInsets)
        /// The whole picture is scaled to the new size. Where it does not fill the frame, it keeps its aspect ratio,
        /// and black borders are added around it, as `videoscale` does.
        case scale(fillsFrame: Bool)
        /// The size has changed for an unknown reason.
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

    /// The size of the pictures that metadata describe. Those of an application need not state it: they then describe
    /// pictures as they are in front of all elements that are known to change them.
    package func described(_ stated: FrameSize) -> FrameSize {
        stated.width > 0 && stated.height > 0 ? stated : steps.first?.before.size ?? FrameSize(0, 0)
    }

    /// The steps since pictures had the size that metadata describe.
    /// - Returns: `nil` where they never had it.
    private func steps(since described: FrameSize) -> ArraySlice<Step>? {
        if let start = steps.firstIndex(where: { $0.before.size == described }) { return steps[start...] }
        return steps.last?.after.size == described ? [] : nil
    }

    /// Whether pictures may have lost a part that metadata describe.
    /// - Parameters:
    ///   - described: the size of the pictures that the metadata describe.
    ///   - source: the size of the pictures that the export gets.
    package func isCropped(_ described: FrameSize, to source: FrameSize) -> Bool {
        guard described.width > 0, described.height > 0 else { return false }
        guard let steps = steps(since: described) else { return described.isCropped(to: source) }
        return steps.contains { step in
            switch step.change {
            case .turn, .scale: false
            case .cut(let edges): max(edges.left, edges.right, edges.top, edges.bottom) > 0
            // A picture with the same aspect ratio may have been cropped and scaled.
            case .unknown: step.before.size.transposed != step.after.size
            }
        }
    }

    /// Maps an area of the described picture to one that the export gets.
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

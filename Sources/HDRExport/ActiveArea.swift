import HDRMetadata

/// The position of a picture's content among black bars: its distances from the edges in pixels, as in level 5 of Dolby
/// Vision.
package struct ActiveArea: Equatable, Sendable {
    package var left, right, top, bottom: Double

    package init(left: Double = 0, right: Double = 0, top: Double = 0, bottom: Double = 0) {
        (self.left, self.right, self.top, self.bottom) = (left, right, top, bottom)
    }

    /// The area in a picture that was scaled, cropped or padded between two sizes by unknown steps. Same shape means
    /// scaled; exchanged sides mean rotated in an unknown direction, so that only bars common to both directions count;
    /// lost pixels mean cropped, and added ones padded, in the middle.
    package func following(from old: FrameSize, to new: FrameSize) -> ActiveArea {
        guard old.width > 0, old.height > 0, new.width > 0, new.height > 0, old != new else { return self }
        if old.isScaled(to: new) {
            return scaled(Double(new.width) / Double(old.width), Double(new.height) / Double(old.height))
        }
        if old.isScaled(to: new.transposed) {
            let (beside, above) = (min(left, right), min(top, bottom))
            let turned = ActiveArea(left: above, right: above, top: beside, bottom: beside)
            return turned.scaled(Double(new.width) / Double(old.height), Double(new.height) / Double(old.width))
        }
        let (wide, high) = (Double(new.width - old.width) / 2, Double(new.height - old.height) / 2)
        return ActiveArea(
            left: max(left + wide, 0), right: max(right + wide, 0), top: max(top + high, 0),
            bottom: max(bottom + high, 0))
    }

    /// The area in the encoded picture.
    /// - Parameter size: the size of the source's picture in pixels.
    package func following(_ geometry: FrameGeometry, from size: FrameSize) -> ActiveArea {
        var area = self
        var size = size
        area.turn(by: geometry.turn, isMirrored: geometry.isMirrored)
        if geometry.turn == 90 || geometry.turn == 270 { size = size.transposed }
        let crop = geometry.crop
        area.left = max(area.left - Double(crop.left), 0)
        area.right = max(area.right - Double(crop.right), 0)
        area.top = max(area.top - Double(crop.top), 0)
        area.bottom = max(area.bottom - Double(crop.bottom), 0)
        let width = size.width - crop.left - crop.right
        let height = size.height - crop.top - crop.bottom
        if width > 0, height > 0 {
            area = area.scaled(
                Double(geometry.scaled.width) / Double(width), Double(geometry.scaled.height) / Double(height))
        }
        let borders = geometry.borders
        area.left += Double(borders.left)
        area.right += Double(borders.right)
        area.top += Double(borders.top)
        area.bottom += Double(borders.bottom)
        return area
    }

    /// Mirrors the area left to right if needed, and then rotates it clockwise.
    /// - Parameter angle: 0, 90, 180 or 270 degrees.
    package mutating func turn(by angle: Int, isMirrored: Bool) {
        if isMirrored { swap(&left, &right) }
        switch angle {
        case 90: (left, right, top, bottom) = (bottom, top, left, right)
        case 180: (left, right, top, bottom) = (right, left, bottom, top)
        case 270: (left, right, top, bottom) = (top, bottom, right, left)
        default: break
        }
    }

    private func scaled(_ across: Double, _ down: Double) -> ActiveArea {
        ActiveArea(left: left * across, right: right * across, top: top * down, bottom: bottom * down)
    }
}

extension FrameSize {
    /// Whether a picture of this size may have become one of another by scaling alone.
    func isScaled(to new: FrameSize) -> Bool {
        guard width > 0, height > 0, new.width > 0, new.height > 0 else { return false }
        let across = Double(new.width) / Double(width)
        let down = Double(new.height) / Double(height)
        // Each side may have been rounded by up to two pixels, for subsampled chroma.
        return abs(across - down) * Double(min(width, height)) <= 2
    }

    /// Whether a picture of this size must have lost some of its sides to become one of another.
    package func isCropped(to new: FrameSize) -> Bool {
        guard width > 0, height > 0, new.width > 0, new.height > 0, !isScaled(to: new), !isScaled(to: new.transposed)
        else { return false }
        return new.width < width || new.height < height
    }
}

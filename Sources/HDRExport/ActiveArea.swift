import HDRMetadata

/// Where a picture's content is among black bars: how far it is from the edges, in pixels, as level 5 of Dolby Vision
/// has it.
package struct ActiveArea: Equatable, Sendable {
    package var left, right, top, bottom: Double

    package init(left: Double = 0, right: Double = 0, top: Double = 0, bottom: Double = 0) {
        (self.left, self.right, self.top, self.bottom) = (left, right, top, bottom)
    }

    /// The area in a picture that somebody has scaled, cropped or padded between two sizes. Of these nobody says which:
    /// a picture of the same shape was scaled; one that has lost pixels was cropped, one that has got some was padded,
    /// in the middle.
    package func following(from old: FrameSize, to new: FrameSize) -> ActiveArea {
        guard old.width > 0, old.height > 0, new.width > 0, new.height > 0, old != new else { return self }
        let across = Double(new.width) / Double(old.width)
        let down = Double(new.height) / Double(old.height)
        // A side is rounded by up to two pixels, for subsampled chroma.
        let isScaled = abs(across - down) * Double(min(old.width, old.height)) <= 2
        if isScaled { return scaled(across, down) }
        let (wide, high) = (Double(new.width - old.width) / 2, Double(new.height - old.height) / 2)
        return ActiveArea(
            left: max(left + wide, 0), right: max(right + wide, 0), top: max(top + high, 0),
            bottom: max(bottom + high, 0))
    }

    /// The area in the encoded picture.
    /// - Parameter size: of the source's picture.
    package func following(_ geometry: FrameGeometry, from size: FrameSize) -> ActiveArea {
        var area = self
        var size = size
        if geometry.isMirrored { swap(&area.left, &area.right) }
        switch geometry.turn {
        case 90:
            area = ActiveArea(left: area.bottom, right: area.top, top: area.left, bottom: area.right)
            size = FrameSize(size.height, size.width)
        case 180: area = ActiveArea(left: area.right, right: area.left, top: area.bottom, bottom: area.top)
        case 270:
            area = ActiveArea(left: area.top, right: area.bottom, top: area.right, bottom: area.left)
            size = FrameSize(size.height, size.width)
        default: break
        }
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

    private func scaled(_ across: Double, _ down: Double) -> ActiveArea {
        ActiveArea(left: left * across, right: right * across, top: top * down, bottom: bottom * down)
    }
}

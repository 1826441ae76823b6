/// The orientation in which players have to display a picture, as stated by the container: mirrored, then rotated.
/// GStreamer's `image-orientation` tag has the same eight values, such as `flip-rotate-90`.
package struct PictureOrientation: Equatable, Hashable, Sendable {
    /// The clockwise rotation in degrees: 0, 90, 180 or 270.
    package var rotation: Int
    /// Whether left and right are exchanged before the rotation.
    package var isMirrored: Bool

    package init(rotation: Int = 0, isMirrored: Bool = false) {
        self.rotation = rotation
        self.isMirrored = isMirrored
    }

    package static let upright = PictureOrientation()

    /// The value of GStreamer's tag `image-orientation`, such as `rotate-90` and `flip-rotate-0`.
    package var tag: String { "\(isMirrored ? "flip-" : "")rotate-\(rotation)" }

    /// The matrix of a track header (ISO/IEC 14496-12 section 8.3.2: a, b, u, c, d, v, x, y, w); `nil` where it is not
    /// one of the eight orientations; scaling is ignored.
    package init?(matrix: [Int32]) {
        guard matrix.count == 9 else { return nil }
        let signs = [matrix[0], matrix[1], matrix[3], matrix[4]].map { $0.signum() }
        switch signs {
        case [1, 0, 0, 1]: self.init()
        case [0, 1, -1, 0]: self.init(rotation: 90)
        case [-1, 0, 0, -1]: self.init(rotation: 180)
        case [0, -1, 1, 0]: self.init(rotation: 270)
        case [-1, 0, 0, 1]: self.init(isMirrored: true)
        case [0, -1, -1, 0]: self.init(rotation: 90, isMirrored: true)
        case [1, 0, 0, -1]: self.init(rotation: 180, isMirrored: true)
        case [0, 1, 1, 0]: self.init(rotation: 270, isMirrored: true)
        default: return nil
        }
    }

    /// The pose of a Matroska projection in degrees (RFC 9559 section 5.1.4.1.28.41 and the following ones): the roll
    /// is counter-clockwise, and a yaw or a pitch of 180 shows a flat picture's back, as FFmpeg reads and writes it.
    /// `nil` for other angles.
    package init?(yaw: Double, pitch: Double, roll: Double) {
        guard let yaw = Self.quarters(yaw), let pitch = Self.quarters(pitch), let roll = Self.quarters(roll),
            yaw % 2 == 0, pitch % 2 == 0
        else { return nil }
        // Turning upside down by the pitch is the same as mirroring and a rotation by 180 degrees.
        self.init(rotation: (8 - roll + pitch) % 4 * 90, isMirrored: yaw != pitch)
    }

    /// The number of quarter turns, 0...3. Writers compute angles, so that they may be a little off.
    private static func quarters(_ degrees: Double) -> Int? {
        guard abs(degrees) <= 3600 else { return nil }
        let count = (degrees / 90).rounded()
        guard abs(count * 90 - degrees) < 0.01 else { return nil }
        return (Int(count) % 4 + 4) % 4
    }
}

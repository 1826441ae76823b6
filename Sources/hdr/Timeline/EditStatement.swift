import HDRPipeline

/// A statement of an edit list.
struct EditStatement: Sendable {
    enum Kind: Sendable {
        case clip(EditClip)
        /// Black without sound, for so many ns.
        case gap(UInt64)
        case transition(EditTransition)
        case title(EditTitle)
    }

    let kind: Kind
    let place: EditPlace
}

/// A video, or a still picture, or a part of one.
struct EditClip: Sendable {
    let file: FileName
    /// The start in ns of the file; `nil` for its beginning.
    var start: UInt64?
    /// The end in ns of the file; `nil` for its end.
    var end: UInt64?
    /// The length in ns, where no end is given.
    var length: UInt64?
}

/// The transition from one clip to the next.
struct EditTransition: Sendable {
    enum Kind: Sendable, Equatable {
        case dissolve
        case dip(isWhite: Bool)
        /// The direction that pictures move to.
        case push(Direction)
        case wipe(EditWipe)
    }

    enum Direction: String, CaseIterable, Sendable { case left, right, up, down }

    let kind: Kind
    /// The length in ns.
    let length: UInt64

    /// Whether both clips play at once, for the whole length.
    var overlaps: Bool { if case .dip = kind { false } else { true } }

    /// The statement's words without the length.
    var title: String {
        switch kind {
        case .dissolve: "dissolve"
        case .dip(let isWhite): isWhite ? "dip-to-white" : "dip-to-black"
        case .push(let direction): "push \(direction.rawValue)"
        case .wipe(let wipe): "wipe \(wipe.shape)"
        }
    }
}

/// The wipe by which `hdrcompositor` reveals a picture.
struct EditWipe: Sendable, Equatable {
    /// A value of the pad's property `wipe`.
    let shape: String
    /// The width of the edge, 0 to 1.
    var softness = 0.0
    var isReversed = false
    /// A grey picture, for the shape `map`.
    var map: FileName?

    static let map = "map"
    static let shapes = [
        "bar-left", "bar-right", "bar-up", "bar-down", "diagonal", "iris", "diamond", "clock", "barn-door", map,
    ]
}

/// Text above the clips.
struct EditTitle: Sendable {
    enum Position: String, CaseIterable, Sendable { case center, lower, upper }

    let text: String
    /// The start in ns of the timeline.
    var start: UInt64 = 0
    /// The length in ns.
    var length: UInt64 = 3_000_000_000
    /// The height of letters' lines, in hundredths of the picture's.
    var size = 8.0
    var position = Position.center
    /// The time in ns in which it fades in, and out.
    var fade: UInt64 = 0
}

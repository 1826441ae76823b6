import HDRPipeline

/// The arrangement of pictures in a timeline: which pictures of which clips it has, and in which layers.
struct TimelinePlan: Sendable {
    /// A clip or a title, or a transition, as a list of the timeline shows it.
    struct Row: Sendable {
        let kind: String
        let what: String
        let start: Int
        let count: Int
        /// Its start in its file, in ns.
        var from: UInt64?
    }

    let grid: FrameGrid
    let width: Int
    let height: Int
    private(set) var rows: [Row] = []
    /// The layers in the order of their starts.
    private(set) var layers: [TimelineLayer] = []
    /// The length in pictures.
    private(set) var count = 0

    /// The duration in ns.
    var duration: UInt64 { grid.time(count) }

    /// A clip that a part of the plan is about, with its pictures.
    private struct Span {
        let statement: EditStatement
        let name: String
        /// The medium; `nil` for a gap.
        let media: TimelineMedia?
        let from: UInt64
        let count: Int
        /// The one before it.
        var lead: (transition: EditTransition, place: EditPlace)?
        var start = 0
        var end: Int { start + count }
    }

    /// A transition in pictures.
    private struct Change {
        /// The numbers of pictures of the previous clip, and of the next one, that take part.
        let before: Int
        let behind: Int

        init(_ transition: EditTransition, _ grid: FrameGrid) {
            let count = max(grid.frames(transition.length), 1)
            before = transition.overlaps ? count : count / 2
            behind = transition.overlaps ? count : count - count / 2
        }
    }

    /// - Parameters:
    ///   - media: what the files of the clips are.
    ///   - titles: the pictures of the titles, in their order.
    init(
        _ statements: [EditStatement], media: [FileName: TimelineMedia], titles: [StillPicture], grid: FrameGrid,
        width: Int, height: Int
    ) throws {
        (self.grid, self.width, self.height) = (grid, width, height)
        var (spans, trail) = try Self.spans(statements, media, grid)
        try Self.place(&spans, trail, grid)
        count = spans.last?.end ?? 0
        guard count <= FrameGrid.limit else { throw Failure("the timeline is longer than a hundred days") }
        for index in spans.indices { try add(spans, index, trail: index == spans.count - 1 ? trail : nil) }
        try addTitles(statements, titles)
        layers.sort { ($0.start, $0.order) < ($1.start, $1.order) }
        rows.sort { $0.start < $1.start }
    }

    // MARK: Lengths and places

    /// The clips and gaps with what leads to each, and the transition behind the last one.
    private static func spans(
        _ statements: [EditStatement], _ media: [FileName: TimelineMedia], _ grid: FrameGrid
    ) throws -> ([Span], (transition: EditTransition, place: EditPlace)?) {
        var spans: [Span] = []
        var lead: (transition: EditTransition, place: EditPlace)?
        for statement in statements {
            switch statement.kind {
            case .transition(let transition):
                if let lead {
                    throw statement.place.failure(
                        "\(transition.title) follows \(lead.transition.title): a clip has to stand between two "
                            + "transitions")
                }
                lead = (transition, statement.place)
                continue
            case .title: continue
            case .gap(let length):
                let count = grid.frames(length)
                guard count > 0 else { throw statement.place.failure("a gap is shorter than a picture") }
                spans.append(Span(statement: statement, name: "gap", media: nil, from: 0, count: count, lead: lead))
            case .clip(let clip):
                guard let media = media[clip.file] else { continue }
                let (from, count) = try extent(of: clip, media, grid, statement.place)
                spans.append(
                    Span(
                        statement: statement, name: clip.file.shown, media: media, from: from, count: count, lead: lead)
                )
            }
            lead = nil
        }
        return (spans, lead)
    }

    /// The default duration of a still picture, in ns.
    private static let stillLength: UInt64 = 5_000_000_000

    private static func extent(
        of clip: EditClip, _ media: TimelineMedia, _ grid: FrameGrid, _ place: EditPlace
    ) throws -> (from: UInt64, count: Int) {
        let name = clip.file.shown
        guard case .movie(let movie) = media else {
            if clip.start != nil || clip.end != nil {
                throw place.failure("\(name) is a picture, which has no from and to: say how long, as for=3s")
            }
            let count = grid.frames(clip.length ?? stillLength)
            guard count > 0 else { throw place.failure("\(name) is shown for less than a picture: make for= longer") }
            return (0, count)
        }
        // An end that is up to half a picture beyond the file's still rounds to its last picture.
        let slack = grid.time(1) / 2
        let from = clip.start ?? movie.start
        guard from < movie.end else {
            throw place.failure(
                "\(name) is \(Time.exact(movie.end)) long: from=\(Time.exact(from)) lies after its end")
        }
        let end = clip.end ?? clip.length.map { from.plus($0) } ?? movie.end
        guard end <= movie.end.plus(slack) else {
            throw place.failure("\(name) is \(Time.exact(movie.end)) long, and has nothing up to \(Time.exact(end))")
        }
        let count = grid.frames(end > from ? end - from : 0)
        guard count > 0 else { throw place.failure("\(name) is shown for less than a picture: give it more time") }
        return (from, count)
    }

    private static func place(
        _ spans: inout [Span], _ trail: (transition: EditTransition, place: EditPlace)?, _ grid: FrameGrid
    ) throws {
        guard !spans.isEmpty else { throw Failure("the timeline has no clips: name files, with transitions between") }
        for index in spans.indices {
            let lead = spans[index].lead
            let next = index + 1 < spans.count ? spans[index + 1].lead : trail
            for (one, isEdge) in [(lead, index == 0), (next, index == spans.count - 1)] {
                if let one, isEdge, !one.transition.overlaps {
                    throw one.place.failure(
                        "\(one.transition.title) needs a clip before and after it: dissolve fades in and out at the "
                            + "ends of a timeline")
                }
            }
            let used = lead.map { Change($0.transition, grid).behind } ?? 0
            let more = next.map { Change($0.transition, grid).before } ?? 0
            guard used + more <= spans[index].count else {
                let (one, both) = (more > used ? next ?? lead : lead ?? next, used > 0 && more > 0)
                throw (one?.place ?? spans[index].statement.place).failure(
                    "\(both ? "the transitions" : one?.transition.title ?? "") at \(spans[index].name) "
                        + "\(both ? "are" : "is") longer than the clip: "
                        + "\(Time.exact(grid.time(used + more))) of \(Time.exact(grid.time(spans[index].count)))")
            }
            guard index > 0 else { continue }
            let overlap = lead.map { $0.transition.overlaps ? Change($0.transition, grid).before : 0 } ?? 0
            spans[index].start = spans[index - 1].end - overlap
        }
    }

    // MARK: Layers

    /// Layers of a clip: itself, what covers the one before while it comes, and what covers it at the end.
    private mutating func add(
        _ spans: [Span], _ index: Int, trail: (transition: EditTransition, place: EditPlace)?
    ) throws {
        let span = spans[index]
        rows.append(
            Row(
                kind: span.media == nil ? "gap" : "clip", what: span.media == nil ? "" : span.name, start: span.start,
                count: span.count, from: span.media.map { if case .movie = $0 { span.from } else { nil } } ?? nil))
        var layer = try self.layer(of: span, order: 4 * index + 1)
        if let lead = span.lead {
            let change = Change(lead.transition, grid)
            let from = span.start - (lead.transition.overlaps ? 0 : change.before)
            rows.append(
                Row(
                    kind: "transition", what: lead.transition.title, start: from,
                    count: lead.transition.overlaps ? change.behind : change.before + change.behind))
            layer.volume.add([(span.start, 0), (span.start + change.behind, 1)])
            if case .dip(let isWhite) = lead.transition.kind {
                layers.append(try veil(isWhite, change, at: span.start, order: 4 * index + 3))
            } else {
                Self.come(&layer, lead.transition, span.start..<span.start + change.behind, width, height)
                // Bars beside the picture belong to its clip, and cover the previous one.
                if index > 0, !isPush(lead.transition), !fills(span) {
                    layer.properties.append(("operator", "add"))
                    let range = span.start..<span.start + change.behind
                    layers.append(try cover(lead.transition, range, order: 4 * index))
                }
            }
        }
        let next = index + 1 < spans.count ? spans[index + 1].lead : trail
        if let next {
            let change = Change(next.transition, grid)
            let range = span.end - change.before..<span.end
            if !range.isEmpty { layer.volume.add([(range.lowerBound, 1), (range.upperBound, 0)]) }
            if case .push(let direction) = next.transition.kind { Self.leave(&layer, direction, range, width, height) }
            if index == spans.count - 1 {
                rows.append(
                    Row(
                        kind: "transition", what: next.transition.title, start: range.lowerBound, count: range.count))
                if !isPush(next.transition) {
                    layers.append(try cover(next.transition, range, order: 4 * index + 2))
                }
            }
        }
        layers.append(layer)
    }

    private func isPush(_ transition: EditTransition) -> Bool {
        if case .push = transition.kind { true } else { false }
    }

    /// Whether a clip's pictures cover all of the canvas.
    private func fills(_ span: Span) -> Bool {
        guard let media = span.media else { return true }
        return !media.hasAlpha && isAlike(media.size)
    }

    /// Whether a picture has the canvas's shape, to half a pixel.
    private func isAlike(_ size: (width: Int, height: Int)) -> Bool {
        guard size.width > 0 else { return false }
        return abs(Double(width) * Double(size.height) / Double(size.width) - Double(height)) < 0.5
    }

    private func layer(of span: Span, order: Int) throws -> TimelineLayer {
        let content: TimelineLayer.Content =
            switch span.media {
            case .movie(let movie)?: .movie(movie, from: span.from)
            case .picture(let picture)?: .still(picture)
            case nil: .still(try StillPicture(white: false))
            }
        var layer = TimelineLayer(content: content, start: span.start, count: span.count, order: order)
        layer.properties = spread
        if let size = span.media?.size, !isAlike(size) {
            layer.properties.append(("sizing-policy", "keep-aspect-ratio"))
        }
        return layer
    }

    /// The properties of a pad that fills the canvas.
    private var spread: [(name: String, value: String)] { [("width", "\(width)"), ("height", "\(height)")] }

    /// Black that comes as the picture above it does.
    private func cover(_ transition: EditTransition, _ range: Range<Int>, order: Int) throws -> TimelineLayer {
        var layer = TimelineLayer(
            content: .still(try StillPicture(white: false)), start: range.lowerBound, count: range.count, order: order)
        layer.properties = spread
        Self.come(&layer, transition, range, width, height)
        return layer
    }

    /// Black or white that comes and goes, and is all that is seen at a time.
    private func veil(_ isWhite: Bool, _ change: Change, at time: Int, order: Int) throws -> TimelineLayer {
        let (first, last) = (time - change.before, time + change.behind)
        var layer = TimelineLayer(
            content: .still(try StillPicture(white: isWhite)), start: first, count: last - first, order: order)
        layer.properties = spread
        layer.change("alpha", (first < time ? [(first, 0.0)] : []) + [(time, 1.0), (last, 0.0)])
        return layer
    }

    /// Has a picture come by a transition.
    private static func come(
        _ layer: inout TimelineLayer, _ transition: EditTransition, _ range: Range<Int>, _ width: Int, _ height: Int
    ) {
        func points(_ from: Double, _ to: Double) -> [(frame: Int, value: Double)] {
            [(range.lowerBound, from), (range.upperBound, to)]
        }
        switch transition.kind {
        case .dissolve: layer.change("alpha", points(0, 1))
        case .dip: break
        case .wipe(let wipe):
            layer.properties += [
                ("wipe", wipe.shape), ("wipe-softness", "\(wipe.softness)"),
                ("wipe-reverse", wipe.isReversed ? "true" : "false"),
            ]
            if let map = wipe.map { layer.files.append(("wipe-map", map)) }
            layer.change("wipe-progress", points(0, 1))
        case .push(let direction):
            let way = way(direction, width, height)
            layer.change(way.property, points(-way.distance, 0))
        }
    }

    /// Has a picture leave in a direction.
    private static func leave(
        _ layer: inout TimelineLayer, _ direction: EditTransition.Direction, _ range: Range<Int>, _ width: Int,
        _ height: Int
    ) {
        let way = way(direction, width, height)
        layer.change(way.property, [(range.lowerBound, 0), (range.upperBound, way.distance)])
    }

    /// The property that moves pictures in a direction, and the distance until they have left.
    private static func way(
        _ direction: EditTransition.Direction, _ width: Int, _ height: Int
    ) -> (property: String, distance: Double) {
        switch direction {
        case .left: ("xpos", -Double(width))
        case .right: ("xpos", Double(width))
        case .up: ("ypos", -Double(height))
        case .down: ("ypos", Double(height))
        }
    }

    private mutating func addTitles(_ statements: [EditStatement], _ pictures: [StillPicture]) throws {
        var rest = pictures[...]
        for statement in statements {
            guard case .title(let title) = statement.kind, let picture = rest.popFirst() else { continue }
            let start = grid.frames(title.start)
            guard start < count else {
                throw statement.place.failure(
                    "the title \"\(title.text)\" begins at \(Time.exact(title.start)), where the timeline is over: it "
                        + "is \(Time.exact(duration)) long")
            }
            let end = min(start + max(grid.frames(title.length), 1), count)
            rows.append(Row(kind: "title", what: title.text, start: start, count: end - start))
            var layer = TimelineLayer(
                content: .still(picture), start: start, count: end - start, order: 1_000_000_000 + rows.count)
            let fade = grid.frames(title.fade)
            if fade > 0 {
                layer.change("alpha", [(start, 0), (start + fade, 1)])
                // A title that is longer than the timeline is there to the end.
                let last = start + grid.frames(title.length)
                layer.change("alpha", [(last - fade, 1), (last, 0)])
            }
            layers.append(layer)
        }
    }

    // MARK: Parts

    /// The timeline's pictures in a range.
    func part(_ range: Range<Int>) -> TimelinePlan {
        var part = self
        let range = range.clamped(to: 0..<count)
        part.layers = layers.compactMap { $0.part(range, grid) }.sorted { ($0.start, $0.order) < ($1.start, $1.order) }
        part.count = range.count
        return part
    }
}

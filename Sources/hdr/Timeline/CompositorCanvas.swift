import HDRConcurrency
import HDRPipeline

/// The `hdrcompositor` of a timeline, whose pads come and go with the layers.
final class CompositorCanvas: Sendable {
    /// A layer's pad, and what feeds it.
    struct Entry: Sendable {
        let source: Element
        let pad: Pad
    }

    let pipeline: Pipeline
    let compositor: Element
    private let grid: FrameGrid

    init(_ pipeline: Pipeline, _ grid: FrameGrid, range: String, blendSpace: String) throws {
        (self.pipeline, self.grid) = (pipeline, grid)
        compositor = try Element(
            make: "hdrcompositor", ["background": "black", "dynamic-range": range, "blend-space": blendSpace])
    }

    /// Caps with the timeline's rate.
    func caps(_ format: Structure) -> String {
        var text = format.name
        for field in format.fields where field != "framerate" {
            guard let typed = format.typed(field) else { continue }
            text += ", \(field)=\(typed)"
        }
        return text + ", framerate=(fraction)\(grid.rate.numerator)/\(grid.rate.denominator)"
    }

    /// A new pad for a layer of a format. Any thread.
    func open(_ layer: TimelineLayer, _ format: String) throws -> Entry {
        let source = try Element(
            make: "appsrc",
            [
                "format": "time", "caps": format, "block": layer.movie != nil, "max-buffers": 4, "max-bytes": 0,
                "max-time": 0,
            ])
        try pipeline.add(source)
        let pad = try compositor.request("sink_%u")
        let settings = try compositor.child(pad.name)
        try settings.set("zorder", to: layer.order)
        for (name, value) in layer.properties { try settings.set(name, to: value) }
        for (name, file) in layer.files { try settings.set(name, to: file) }
        for (property, course) in layer.courses {
            // The value before the first point.
            if let first = course.points.first { try settings.set(property, to: first.value) }
            try settings.move(property, through: course.points.map { (grid.time(max($0.frame, 0)), $0.value) })
        }
        try source.pad("src").link(to: pad)
        source.follow()
        return Entry(source: source, pad: pad)
    }

    func close(_ entry: Entry) {
        pipeline.remove(entry.source)
        compositor.release(entry.pad)
    }
}

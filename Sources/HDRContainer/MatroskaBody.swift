import HDRMetadata

/// The part of a Matroska file behind Tracks, in `MatroskaRewriter`. It is passed on at once, except for the few bytes
/// that hold positions. Where nothing has moved, it is not parsed.
struct MatroskaBody {
    private enum Mode {
        /// The header of an element, at the top level or in a Cluster.
        case element
        /// Data that are passed on.
        case skipping(UInt64)
        /// An element that is kept until all its bytes are there.
        case collecting(id: UInt32, size: Int)
        /// The content of an element whose size the muxer fills in later: the element that follows it can only be
        /// recognised by the first bytes of a write.
        case open
        /// Content behind the end of this file, which belongs to another one.
        case foreign
    }

    private var mode = Mode.element
    /// Bytes at the end that have not been passed on yet.
    private var pending: [UInt8] = []
    private var pendingStart: UInt64 = 0
    /// The range in the muxer's file of Cues that became longer.
    private var grownCues: Range<UInt64>?

    mutating func append(
        _ bytes: [UInt8], at offset: UInt64, _ header: inout MatroskaHeader, _ context: RewriterContext,
        _ output: inout RewriterOutput
    ) {
        if header.map.isIdentity {
            output.pass(bytes, at: offset, through: header.map)
            return
        }
        // Unchanged bytes are passed on in one piece.
        var passed = 0
        var next = 0
        func pass(upTo index: Int) {
            if passed < index {
                let piece = passed == 0 && index == bytes.count ? bytes : Array(bytes[passed..<index])
                output.pass(piece, at: offset + UInt64(passed), through: header.map)
            }
            passed = index
        }
        while next < bytes.count {
            switch mode {
            case .skipping(let rest):
                let count = Int(min(rest, UInt64(bytes.count - next)))
                next += count
                mode = rest == UInt64(count) ? .element : .skipping(rest - UInt64(count))
            case .foreign: next = bytes.count
            case .open:
                if next == 0, Self.beginsTopLevel(bytes) {
                    mode = .element
                } else {
                    next = bytes.count
                }
            case .collecting(let id, let size):
                let count = min(size - pending.count, bytes.count - next)
                pending += bytes[next..<next + count]
                next += count
                passed = next
                if pending.count >= size { complete(id, &header, context, &output) }
            case .element where pending.isEmpty:
                switch EBMLHeader.parse(bytes, at: next, before: bytes.count) {
                case .needs:
                    pass(upTo: next)
                    pendingStart = offset + UInt64(next)
                    pending = Array(bytes[next...])
                    next = bytes.count
                    passed = next
                case .invalid: mode = .open
                case .header(let element):
                    if isCollected(element, context, &output) {
                        pass(upTo: next)
                        pendingStart = offset + UInt64(next)
                        pending = Array(bytes[next..<next + element.count])
                        passed = next + element.count
                    }
                    next += element.count
                    begin(element, &header, context, &output)
                }
            case .element:
                // This is a header that began in an earlier write.
                pending.append(bytes[next])
                next += 1
                passed = next
                switch EBMLHeader.parse(pending, at: 0, before: pending.count) {
                case .needs: continue
                case .invalid:
                    mode = .open
                    flush(&header, &output)
                case .header(let element):
                    let isCollected = isCollected(element, context, &output)
                    if !isCollected { flush(&header, &output) }
                    begin(element, &header, context, &output)
                }
            }
        }
        pass(upTo: bytes.count)
    }

    /// Whether all of the new bytes can be passed on unread, in which case they are counted.
    mutating func passes(count: Int, prefix: [UInt8], isMoved: Bool) -> Bool {
        if !isMoved { return true }
        guard pending.isEmpty else { return false }
        switch mode {
        case .skipping(let rest) where UInt64(count) <= rest:
            mode = UInt64(count) == rest ? .element : .skipping(rest - UInt64(count))
            return true
        case .open: return !Self.beginsTopLevel(prefix)
        case .foreign: return true
        default: return false
        }
    }

    private func isCollected(
        _ element: EBMLHeader, _ context: RewriterContext, _ output: inout RewriterOutput
    ) -> Bool {
        let limit: Int
        switch element.id {
        case MatroskaID.cues, MatroskaID.seekHead: limit = context.limit
        case MatroskaID.clusterPosition: limit = 8
        default: return false
        }
        if let size = element.size, size <= UInt64(limit) { return true }
        output.notice(.positionsNotMoved(what: element.id == MatroskaID.cues ? "Cues" : "SeekHead"))
        return false
    }

    private mutating func begin(
        _ element: EBMLHeader, _ header: inout MatroskaHeader, _ context: RewriterContext,
        _ output: inout RewriterOutput
    ) {
        switch element.id {
        case MatroskaID.cluster: mode = .element
        case MatroskaID.segment, MatroskaID.ebml: mode = .foreign
        default:
            guard let size = element.size else {
                mode = .open
                return
            }
            if !pending.isEmpty {
                mode = .collecting(id: element.id, size: element.count + Int(size))
                if size == 0 { complete(element.id, &header, context, &output) }
            } else {
                mode = size == 0 ? .element : .skipping(size)
            }
        }
    }

    private mutating func complete(
        _ id: UInt32, _ header: inout MatroskaHeader, _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        mode = .element
        let source = pending
        let end = pendingStart + UInt64(source.count)
        switch id {
        case MatroskaID.cues:
            do throws(ContainerError) {
                pending = try header.positions.cues(source)
            } catch {
                output.notice(.positionsNotMoved(what: "Cues"))
            }
        case MatroskaID.seekHead: pending = header.moveSeekHead(source, at: pendingStart, context, &output)
        default: pending = header.positions.clusterPosition(source)
        }
        let growth = pending.count - source.count
        flush(&header, &output)
        if growth != 0 {
            header.insert(growth, at: end)
            grownCues = end - UInt64(source.count)..<end
        }
    }

    mutating func flush(_ header: inout MatroskaHeader, _ output: inout RewriterOutput) {
        output.pass(pending, at: pendingStart, through: header.map)
        pending = []
    }

    /// Handles a gap, after which the next bytes are unknown.
    mutating func lose(_ header: inout MatroskaHeader, _ output: inout RewriterOutput) {
        flush(&header, &output)
        mode = .open
    }

    /// - Returns: the part of a write that is not in the bytes that are kept here.
    mutating func overlay(_ bytes: [UInt8], at offset: UInt64) -> [UInt8] {
        guard !pending.isEmpty, offset + UInt64(bytes.count) > pendingStart else { return bytes }
        BigEndian.overlay(bytes, at: offset, onto: &pending, at: pendingStart)
        return offset >= pendingStart ? [] : Array(bytes[..<Int(pendingStart - offset)])
    }

    func noteRewrite(
        _ count: UInt64, at offset: UInt64, _ header: MatroskaHeader, _ output: inout RewriterOutput
    ) {
        if let grownCues, grownCues.overlaps(offset..<offset + count) {
            output.notice(.positionsNotMoved(what: "Cues"))
        }
    }

    private static func beginsTopLevel(_ bytes: [UInt8]) -> Bool {
        guard BigEndian.u32(bytes, 0).map({ MatroskaID.topLevel.contains($0) }) ?? false else { return false }
        return EBMLHeader.parse(bytes, at: 0, before: bytes.count) != .invalid
    }
}

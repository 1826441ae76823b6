/// The state of `ContainerRewriter` for Matroska and WebM. Positions are those in the muxer's file until they are
/// passed on.
///
/// Everything up to Tracks is held back. Then Tracks grows into a Void element behind it; where there is none, what
/// follows moves, and with it every position that the muxer writes, in SeekHead, Cues and Clusters, and the Segment's
/// size.
struct MatroskaRewriter {
    var header = MatroskaHeader()
    private var body = MatroskaBody()
    private var counts = MatroskaSamples()
    /// The output position of the next new byte.
    private var end: UInt64 = 0

    mutating func write(
        _ bytes: [UInt8], at offset: UInt64, _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        var bytes = bytes
        if offset < end {
            let old = Int(min(UInt64(bytes.count), end - offset))
            rewrite(old == bytes.count ? bytes : Array(bytes[..<old]), at: offset, context, &output)
            bytes.removeFirst(old)
        } else if offset > end {
            // After a gap there can be no header, and the next bytes are unknown.
            if !header.isOut { commit(context, &output) }
            body.lose(&header, &output)
            counts.lose()
            end = offset
        }
        if bytes.isEmpty { return }
        let start = end
        end += UInt64(bytes.count)
        counts.read(bytes)
        if header.isOut {
            body.append(bytes, at: start, &header, context, &output)
        } else if header.collect(bytes, context, &output) {
            commit(context, &output)
        }
    }

    /// The output position of new media data that can be passed on unread; `nil` where they have to be parsed.
    mutating func pass(count: Int, prefix: [UInt8], at offset: UInt64) -> UInt64? {
        guard header.isOut, offset == end, counts.passes(count), let target = header.map(offset),
            body.passes(count: count, prefix: prefix, isMoved: !header.map.isIdentity)
        else { return nil }
        counts.skip(count)
        end += UInt64(count)
        return target
    }

    var samples: [TrackSamples]? { header.trackEntries.flatMap { counts.tracks($0) } }

    mutating func finish(_ context: RewriterContext, _ output: inout RewriterOutput) {
        if !header.isOut { commit(context, &output) }
        body.flush(&header, &output)
        header.update(context, &output)
    }

    private mutating func commit(_ context: RewriterContext, _ output: inout RewriterOutput) {
        let (rest, start) = header.commit(context, &output)
        if !rest.isEmpty { body.append(rest, at: start, &header, context, &output) }
    }

    private mutating func rewrite(
        _ bytes: [UInt8], at offset: UInt64, _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        if !header.isOut {
            header.overlay(bytes, at: offset)
            return
        }
        let rest = body.overlay(bytes, at: offset)
        if rest.isEmpty { return }
        header.rewrite(rest, at: offset, context, &output)
        body.noteRewrite(UInt64(rest.count), at: offset, header, &output)
    }
}

import HDRMetadata

/// The state of `ContainerRewriter` for QuickTime and ISO files. Positions are those in the muxer's file until they are
/// passed on.
///
/// When a movie box grows and something follows it, these positions move: `stco`, `co64` and `saio` in it, and `tfhd`
/// and `tfra` behind it. Those in `sidx`, and those of most fragments, are relative to boxes that move along with the
/// data.
struct MovieRewriter {
    /// The kind of data that the next byte at the end belongs to.
    private enum Mode {
        /// A box header.
        case header
        /// The rest of a box, of this many bytes, which are passed on.
        case passing(UInt64)
        /// Media data whose size the muxer fills in later: the box that follows them can only be recognised by the
        /// first bytes of a write.
        case open
        /// A box that is kept until all its bytes are there.
        case collecting(type: FourCC, size: Int, insideMediaData: Bool)
    }

    var isQuickTime = false
    private var mode = Mode.header
    /// The output position of the next new byte.
    private var end: UInt64 = 0
    /// Bytes at the end that have not been passed on yet: a part of a header, or a box that is being collected.
    private var pending: [UInt8] = []
    /// The position of the header of the media data whose size is not known yet.
    private var openHeader: UInt64?
    private var hasMediaData = false
    private var map = PositionMap()
    var header = MovieHeader()
    private var counts = MovieSamples()
    /// The position at which a four-byte brand was inserted that the muxer does not write.
    private var brandPlace: UInt64?

    var samples: [TrackSamples]? { header.source.flatMap { counts.tracks($0) } }

    private var pendingStart: UInt64 { end - UInt64(pending.count) }

    mutating func write(
        _ bytes: [UInt8], at offset: UInt64, _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        var bytes = bytes
        var offset = offset
        if header.isInSlot { header.settleSlot(&bytes, &offset, isQuickTime, map, context, &output) }
        if offset < end {
            let old = Int(min(UInt64(bytes.count), end - offset))
            rewrite(old == bytes.count ? bytes : Array(bytes[..<old]), at: offset, context, &output)
            bytes.removeFirst(old)
            offset = end
        }
        if bytes.isEmpty { return }
        if offset > end { skip(offset - end, context, &output) }
        append(bytes, context, &output)
    }

    /// The output position of new media data that can be passed on unread; `nil` where they have to be parsed.
    mutating func pass(count: Int, prefix: [UInt8], at offset: UInt64) -> UInt64? {
        guard offset == end, pending.isEmpty, !header.isInSlot,
            let target = header.target(count: count, at: offset, through: map)
        else { return nil }
        switch mode {
        case .passing(let remaining) where UInt64(count) <= remaining:
            mode = UInt64(count) == remaining ? .header : .passing(remaining - UInt64(count))
        case .open where Self.movieSize(prefix) == nil: break
        default: return nil
        }
        end += UInt64(count)
        return target
    }

    mutating func finish(_ context: RewriterContext, _ output: inout RewriterOutput) {
        if header.isInSlot {
            var (nothing, offset) = ([UInt8](), end)
            header.settleSlot(&nothing, &offset, isQuickTime, map, context, &output)
        } else if header.isHeld {
            header.commit(before: nil, isFollowed: !pending.isEmpty, isQuickTime, &map, context, &output)
        } else {
            header.update(map, context, &output)
        }
        flush(&output)
        if header.isMissing, !context.metadata.asksForNothing { output.notice(.headerMissing("movie header (moov)")) }
    }

    // MARK: The end of the file

    private mutating func append(_ bytes: [UInt8], _ context: RewriterContext, _ output: inout RewriterOutput) {
        var next = 0
        while next < bytes.count {
            switch mode {
            case .passing(let remaining):
                let count = Int(min(remaining, UInt64(bytes.count - next)))
                passNew(bytes, next..<next + count, &output)
                mode = remaining == UInt64(count) ? .header : .passing(remaining - UInt64(count))
                next += count
            case .open:
                if next == 0, let size = Self.movieSize(bytes), size <= context.limit {
                    mode = .collecting(type: .moov, size: size, insideMediaData: true)
                    continue
                }
                passNew(bytes, next..<bytes.count, &output)
                next = bytes.count
            case .collecting(let type, let size, let insideMediaData):
                let count = min(size - pending.count, bytes.count - next)
                pending += bytes[next..<next + count]
                end += UInt64(count)
                next += count
                if pending.count >= size { complete(type, insideMediaData, context, &output) }
            case .header:
                let needed: Int
                if case .needs(let count) = BoxHeader.parse(pending, at: 0) { needed = count } else { needed = 0 }
                let count = min(max(1, needed - pending.count), bytes.count - next)
                pending += bytes[next..<next + count]
                end += UInt64(count)
                next += count
                beginBox(context, &output)
            }
        }
    }

    /// Acts on the header in `pending` when it is complete.
    private mutating func beginBox(_ context: RewriterContext, _ output: inout RewriterOutput) {
        switch BoxHeader.parse(pending, at: 0) {
        case .needs: return
        case .invalid(let type, _):
            header.commitIfHeld(before: nil, isQuickTime, &map, context, &output)
            // This is a placeholder for a size that the muxer fills in, or something that cannot be understood.
            if type == .mdat { noteOpenMediaData() }
            mode = .open
            flush(&output)
        case .header(let box):
            if header.commitIfHeld(before: box, isQuickTime, &map, context, &output) {
                // The header of the free space has been written already, in another form.
                pending = []
                mode = .passing((box.size ?? 8) - 8)
                return
            }
            begin(box, context, &output)
        }
    }

    private mutating func begin(_ box: BoxHeader, _ context: RewriterContext, _ output: inout RewriterOutput) {
        let isCollected =
            switch box.type {
            case .moov, .ftyp, .moof: true
            case .mfra: !map.isIdentity
            default: false
            }
        if box.type == .mdat { hasMediaData = true }
        guard let size = box.size else {
            if box.type == .mdat { noteOpenMediaData() }
            mode = .open
            flush(&output)
            return
        }
        if isCollected {
            if size <= UInt64(context.limit) {
                mode = .collecting(type: box.type, size: Int(size), insideMediaData: false)
                // A box of nothing but a header is complete.
                if pending.count >= Int(size) { complete(box.type, false, context, &output) }
                return
            }
            output.notice(
                .notCompleted(
                    .headerTooLarge(what: "'\(box.type)'", size: size, limit: UInt64(context.limit))))
        }
        let rest = size - min(size, UInt64(pending.count))
        mode = rest == 0 ? .header : .passing(rest)
        flush(&output)
    }

    private mutating func noteOpenMediaData() {
        hasMediaData = true
        openHeader = pendingStart
    }

    private mutating func complete(
        _ type: FourCC, _ insideMediaData: Bool, _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        mode = .header
        switch type {
        case .moov:
            let isFragmented = MovieHeader.isFragmented(pending)
            if isFragmented, hasMediaData {
                // The movie box that a muxer writes into its media data in case the recording breaks off; it is hidden
                // when the file is complete, and what lies behind it may not move.
                if insideMediaData { mode = .open }
                flush(&output)
                return
            }
            header.hold(pending, at: pendingStart)
            pending = []
            if isFragmented { header.commit(before: nil, isFollowed: true, isQuickTime, &map, context, &output) }
        case .moof, .mfra:
            if type == .moof { counts.add(fragment: pending) }
            if map.isIdentity {
                flush(&output)
                return
            }
            do throws(ContainerError) {
                pending = try FragmentPositions.moved(pending, by: map)
            } catch {
                output.notice(.positionsNotMoved(what: "'\(type)'"))
            }
            flush(&output)
        default:
            let brand = BigEndian.u32(pending, 8)
            isQuickTime = brand == ("qt  " as FourCC).value
            nameBrand(context)
            flush(&output)
        }
    }

    /// Names Dolby Vision among the brands of an ISO file. QuickTime files, as phones write them, do not have the
    /// brand.
    private mutating func nameBrand(_ context: RewriterContext) {
        guard !isQuickTime, context.metadata.hasDolbyVision, let place = FileTypeBox.place(for: .dby1, in: pending)
        else { return }
        brandPlace = pendingStart + UInt64(place)
        pending = naming(pending, at: pendingStart)
    }

    /// The muxer's bytes with the brand, where they cover its place: muxers write the box again at the end.
    private func naming(_ bytes: [UInt8], at offset: UInt64) -> [UInt8] {
        guard let brandPlace, offset < brandPlace + 4, offset + UInt64(bytes.count) > brandPlace else { return bytes }
        var bytes = bytes
        for (index, byte) in "dby1".utf8.enumerated() {
            let position = brandPlace + UInt64(index)
            if position >= offset, position < offset + UInt64(bytes.count) { bytes[Int(position - offset)] = byte }
        }
        return bytes
    }

    /// Handles a hole that the muxer leaves.
    private mutating func skip(_ count: UInt64, _ context: RewriterContext, _ output: inout RewriterOutput) {
        flush(&output)
        header.commitIfHeld(before: nil, isQuickTime, &map, context, &output)
        end += count
        switch mode {
        case .passing(let remaining) where remaining == count: mode = .header
        case .passing(let remaining) where remaining > count: mode = .passing(remaining - count)
        default: mode = .open
        }
    }

    private mutating func passNew(_ bytes: [UInt8], _ range: Range<Int>, _ output: inout RewriterOutput) {
        let piece = range == 0..<bytes.count ? bytes : Array(bytes[range])
        header.pass(piece, at: end, through: map, &output)
        end += UInt64(range.count)
    }

    private mutating func flush(_ output: inout RewriterOutput) {
        header.pass(pending, at: pendingStart, through: map, &output)
        pending = []
    }

    /// The size of the movie box at the start of a write, in media data of unknown size. Its first child's type and
    /// size are checked too, so that a picture's bytes are not mistaken for it.
    static func movieSize(_ bytes: [UInt8]) -> Int? {
        guard BigEndian.u32(bytes, 4) == FourCC.moov.value, BigEndian.u32(bytes, 12) == FourCC.mvhd.value,
            let first = BigEndian.u32(bytes, 8), first == 108 || first == 120,
            let size = BigEndian.u32(bytes, 0), size >= first + 8
        else { return nil }
        return Int(size)
    }

    // MARK: What is there already

    private mutating func rewrite(
        _ bytes: [UInt8], at offset: UInt64, _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        let last = offset + UInt64(bytes.count)
        if last > pendingStart {
            BigEndian.overlay(bytes, at: offset, onto: &pending, at: pendingStart)
            if offset >= pendingStart { return }
            rewrite(Array(bytes[..<Int(pendingStart - offset)]), at: offset, context, &output)
            return
        }
        noteMediaDataSize(bytes, at: offset)
        let bytes = naming(bytes, at: offset)
        if header.rewrite(bytes, at: offset, map, context, &output) { return }
        header.pass(bytes, at: offset, through: map, &output)
    }

    /// Records the size of the media data, which the muxer fills in before it writes the boxes behind them.
    private mutating func noteMediaDataSize(_ bytes: [UInt8], at offset: UInt64) {
        guard case .open = mode, let openHeader, openHeader >= offset, openHeader - offset < UInt64(bytes.count),
            case .header(let box) = BoxHeader.parse(bytes, at: Int(openHeader - offset)), box.type == .mdat,
            let size = box.size, size <= 1 << 62
        else { return }
        let after = openHeader + size
        if after == end { mode = .header }
        if after > end { mode = .passing(after - end) }
    }
}

import HDRMetadata

/// The movie box in `MovieRewriter`. It is held back until the data behind it are known, then written, and rewritten
/// where something changes it later.
struct MovieHeader {
    private struct Box {
        /// The box as the muxer wrote it.
        var source: [UInt8]
        var position: UInt64
        var end: UInt64 { position + UInt64(source.count) }
    }

    /// A box that has been written.
    private struct Written {
        var box: Box
        var bytes: [UInt8]
        var patcher: MovieBoxPatcher
        var metadata: ContainerMetadata
        /// The size of the free space behind it as the muxer wrote it, where the box grew into that space.
        var freeSize: UInt64?
        /// The positions in the muxer's file that the box and the header of its free space occupy.
        var owned: Range<UInt64>
    }

    private var held: Box?
    /// Whether the held box replaces one in a place that was reserved for it.
    private(set) var isInSlot = false
    private var written: Written?
    private var wasSeen = false

    var isHeld: Bool { held != nil }
    var isMissing: Bool { !wasSeen }
    /// The box as the muxer wrote it; `nil` where there is none, or where it could not be completed.
    var source: [UInt8]? { (written?.box ?? held)?.source }

    static func isFragmented(_ bytes: [UInt8]) -> Bool {
        let reader = BoxReader(bytes)
        guard let movie = try? MovieInspection.movie(reader) else { return false }
        return (try? reader.first(.mvex, in: movie.payload)).flatMap { $0 } != nil
    }

    mutating func hold(_ bytes: [UInt8], at position: UInt64) {
        held = Box(source: bytes, position: position)
        isInSlot = false
        wasSeen = true
    }

    /// Passes on what the muxer wrote elsewhere, and drops what it wrote to positions that the box has grown into.
    func pass(_ bytes: [UInt8], at offset: UInt64, through map: PositionMap, _ output: inout RewriterOutput) {
        let end = offset + UInt64(bytes.count)
        guard let owned = written?.owned, !owned.isEmpty, offset < owned.upperBound, end > owned.lowerBound else {
            output.pass(bytes, at: offset, through: map)
            return
        }
        if offset < owned.lowerBound {
            output.pass(Array(bytes[..<Int(owned.lowerBound - offset)]), at: offset, through: map)
        }
        if end > owned.upperBound {
            output.pass(Array(bytes[Int(owned.upperBound - offset)...]), at: owned.upperBound, through: map)
        }
    }

    /// The output position of bytes that pass in one piece; `nil` where some are dropped or the box has grown inside
    /// them.
    func target(count: Int, at offset: UInt64, through map: PositionMap) -> UInt64? {
        let end = offset + UInt64(count)
        if let owned = written?.owned, !owned.isEmpty, offset < owned.upperBound, end > owned.lowerBound { return nil }
        if let change = map.nextChange(after: offset), change < end { return nil }
        return map(offset)
    }

    /// - Returns: whether the box `next` was free space that the movie box has grown into, and is written.
    @discardableResult
    mutating func commitIfHeld(
        before next: BoxHeader?, _ isQuickTime: Bool, _ map: inout PositionMap, _ context: RewriterContext,
        _ output: inout RewriterOutput
    ) -> Bool {
        if held == nil || isInSlot { return false }
        return commit(before: next, isFollowed: true, isQuickTime, &map, context, &output)
    }

    /// Writes the held box.
    /// - Parameter isFollowed: whether data follow it, which then move.
    @discardableResult
    mutating func commit(
        before next: BoxHeader?, isFollowed: Bool = false, _ isQuickTime: Bool, _ map: inout PositionMap,
        _ context: RewriterContext, _ output: inout RewriterOutput
    ) -> Bool {
        guard let box = held else { return false }
        held = nil
        isInSlot = false
        do throws(ContainerError) {
            var patcher = MovieBoxPatcher(flavor: isQuickTime ? .quickTime : .iso)
            patcher.earlier = map
            var result = try patcher.patch(box.source, with: context.metadata)
            if let free = Self.freeSize(next), result.growth != 0 {
                if Self.fits(result.growth, in: free) {
                    write(box, result, patcher, context.metadata, free: free, map, &output)
                    return true
                }
                let reader = BoxReader(box.source)
                if try ChunkOffsets(reader, MovieInspection.movie(reader)).isEmpty {
                    // This is space that a muxer reserved for later data, with positions that it keeps.
                    output.pass(box.source, at: box.position, through: map)
                    output.notice(.noRoom(what: Self.reservedSpace))
                    return false
                }
            }
            if isFollowed, result.growth != 0 {
                patcher.mediaData = .movesFrom(box.end)
                result = try patcher.patch(box.source, with: context.metadata)
            }
            write(box, result, patcher, context.metadata, free: nil, map, &output)
            if isFollowed { map.insert(result.growth, at: box.end) }
        } catch {
            output.pass(box.source, at: box.position, through: map)
            output.notice(.notCompleted(error))
        }
        return false
    }

    private mutating func write(
        _ box: Box, _ result: MovieBoxPatcher.Result, _ patcher: MovieBoxPatcher, _ metadata: ContainerMetadata,
        free: UInt64?, _ map: PositionMap, _ output: inout RewriterOutput
    ) {
        let target = map(box.position) ?? box.position
        var bytes = result.bytes
        var owned = box.end..<box.end
        if let free {
            bytes += Self.freeHeader(free, less: result.growth)
            owned = box.end..<max(box.end, Self.moved(box.end, by: result.growth + 8))
        }
        output.writes.append(PositionedBytes(offset: target, bytes: bytes))
        written = Written(
            box: box, bytes: bytes, patcher: patcher, metadata: metadata, freeSize: free, owned: owned)
    }

    /// Writes the box again where it has changed.
    mutating func update(_ map: PositionMap, _ context: RewriterContext, _ output: inout RewriterOutput) {
        guard let old = written else { return }
        do throws(ContainerError) {
            var (bytes, growth) = try Self.bytes(old, context.metadata)
            let isRoom = old.freeSize.map { Self.fits(growth, in: $0) } ?? (bytes.count == old.bytes.count)
            if !isRoom {
                output.notice(.noRoom(what: "the movie header"))
                (bytes, growth) = try Self.bytes(old, old.metadata)
            } else {
                written?.metadata = context.metadata
            }
            if bytes == old.bytes { return }
            guard context.isSeekable else {
                output.notice(.notSeekable(what: "the movie header"))
                return
            }
            let target = map(old.box.position) ?? old.box.position
            if bytes.count == old.bytes.count {
                output.update(old.bytes, to: bytes, at: target)
            } else {
                output.writes.append(PositionedBytes(offset: target, bytes: bytes))
                written?.owned = old.box.end..<max(old.box.end, Self.moved(old.box.end, by: growth + 8))
            }
            written?.bytes = bytes
        } catch {
            output.notice(.notCompleted(error))
        }
    }

    /// The completed box, with the header of its free space where it grew into that and still fits.
    private static func bytes(
        _ old: Written, _ metadata: ContainerMetadata
    ) throws(ContainerError) -> (bytes: [UInt8], growth: Int) {
        let result = try old.patcher.patch(old.box.source, with: metadata)
        guard let free = old.freeSize, fits(result.growth, in: free) else { return (result.bytes, result.growth) }
        return (result.bytes + freeHeader(free, less: result.growth), result.growth)
    }

    // MARK: Writes into the box

    /// Takes a write into the box, whether that is held back or written.
    /// - Returns: whether the write needs nothing else.
    mutating func rewrite(
        _ bytes: [UInt8], at offset: UInt64, _ map: PositionMap, _ context: RewriterContext,
        _ output: inout RewriterOutput
    ) -> Bool {
        let end = offset + UInt64(bytes.count)
        if var box = held, offset < box.end, end > box.position {
            held = nil
            BigEndian.overlay(bytes, at: offset, onto: &box.source, at: box.position)
            held = box
            // Bytes outside the box are passed on.
            return offset >= box.position && end <= box.end
        }
        let isMovie = MovieRewriter.movieSize(bytes) == bytes.count
        if let old = written, offset < old.box.end, end > old.box.position,
            !isMovie || (offset == old.box.position && end == old.box.end)
        {
            let inside = max(offset, old.box.position)..<min(end, old.box.end)
            if inside == offset..<end { return rewriteWritten(bytes, at: offset, map, context, &output) }
            for part in [offset..<inside.lowerBound, inside, inside.upperBound..<end] where !part.isEmpty {
                let piece = Array(bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)])
                if !rewrite(piece, at: part.lowerBound, map, context, &output) {
                    pass(piece, at: part.lowerBound, through: map, &output)
                }
            }
            return true
        }
        if isMovie {
            held = Box(source: bytes, position: offset)
            isInSlot = true
            wasSeen = true
            return true
        }
        return false
    }

    private mutating func rewriteWritten(
        _ bytes: [UInt8], at offset: UInt64, _ map: PositionMap, _ context: RewriterContext,
        _ output: inout RewriterOutput
    ) -> Bool {
        guard var old = written else { return false }
        BigEndian.overlay(bytes, at: offset, onto: &old.box.source, at: old.box.position)
        let movie = try? MovieInspection.movie(BoxReader(old.box.source))
        guard let movie, movie.count == old.box.source.count else {
            // The muxer hides the box by another type or size.
            written = nil
            return false
        }
        written = old
        // The muxer has gone back in the file, so that its earlier bytes may be replaced.
        var context = context
        context.isSeekable = true
        update(map, context, &output)
        return true
    }

    /// Writes a box that the muxer has put into reserved space. It may grow where the next write is the rest of that
    /// space.
    /// - Parameter bytes: the next write, from which the free space's header is taken.
    mutating func settleSlot(
        _ bytes: inout [UInt8], _ offset: inout UInt64, _ isQuickTime: Bool, _ map: PositionMap,
        _ context: RewriterContext, _ output: inout RewriterOutput
    ) {
        guard isInSlot, let box = held else { return }
        held = nil
        isInSlot = false
        var patcher = MovieBoxPatcher(flavor: isQuickTime ? .quickTime : .iso)
        patcher.earlier = map
        do throws(ContainerError) {
            let result = try patcher.patch(box.source, with: context.metadata)
            if offset == box.end, case .header(let next) = BoxHeader.parse(bytes, at: 0),
                let free = Self.freeSize(next), Self.fits(result.growth, in: free)
            {
                write(box, result, patcher, context.metadata, free: free, map, &output)
                bytes.removeFirst(8)
                offset += 8
                return
            }
            if result.growth == 0 {
                write(box, result, patcher, context.metadata, free: nil, map, &output)
                return
            }
            output.notice(.noRoom(what: Self.reservedSpace))
        } catch {
            output.notice(.notCompleted(error))
        }
        written = nil
        let moved = try? patcher.patch(box.source, with: .nothing)
        output.pass(moved?.bytes ?? box.source, at: box.position, through: map)
    }

    // MARK: Free space

    private static let reservedSpace = "the space that was reserved for the movie header"

    private static func freeSize(_ box: BoxHeader?) -> UInt64? {
        guard let box, box.type == .free || box.type == .skip, box.sizeField == .short else { return nil }
        return box.size
    }

    private static func fits(_ growth: Int, in free: UInt64) -> Bool {
        let rest = Int64(clamping: free) - Int64(growth)
        return rest >= 8 && rest <= Int64(UInt32.max)
    }

    private static func freeHeader(_ free: UInt64, less growth: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        BigEndian.append(UInt32(clamping: Int64(clamping: free) - Int64(growth)), to: &bytes)
        BigEndian.append(FourCC.free.value, to: &bytes)
        return bytes
    }

    private static func moved(_ position: UInt64, by count: Int) -> UInt64 {
        count >= 0 ? position + UInt64(count) : position - min(position, UInt64(count.magnitude))
    }
}

import Testing

@testable import HDRContainer

/// A muxer's writes through a rewriter.
enum ContainerRun {
    typealias Write = (offset: Int, bytes: [UInt8])

    static func run(
        _ writes: [Write], _ first: ContainerMetadata = .everything, _ last: ContainerMetadata? = nil,
        isSeekable: Bool = true
    ) throws -> (file: WrittenFile, rewriter: ContainerRewriter) {
        var rewriter = ContainerRewriter(metadata: first, isSeekable: isSeekable)
        var file = WrittenFile()
        // The same with the short way, which passes media data by their place and size alone.
        var (short, shortFile) = (rewriter, WrittenFile())
        for write in writes {
            let offset = UInt64(write.offset)
            file.write(try rewriter.write(write.bytes, at: offset))
            if let target = short.pass(count: write.bytes.count, prefix: Array(write.bytes.prefix(16)), at: offset) {
                shortFile.write([PositionedBytes(offset: target, bytes: write.bytes)])
            } else {
                shortFile.write(try short.write(write.bytes, at: offset))
            }
        }
        file.write(rewriter.finish(last ?? first))
        shortFile.write(short.finish(last ?? first))
        #expect(shortFile.bytes == file.bytes && short.notices == rewriter.notices)
        return (file, rewriter)
    }
}

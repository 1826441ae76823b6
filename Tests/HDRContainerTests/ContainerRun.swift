import Testing

@testable import HDRContainer

/// A muxer's writes through a stage.
enum ContainerRun {
    typealias Write = (offset: Int, bytes: [UInt8])

    static func run(
        _ writes: [Write], _ first: ContainerMetadata = .everything, _ last: ContainerMetadata? = nil,
        isSeekable: Bool = true
    ) throws -> (file: WrittenFile, stage: ContainerStage) {
        var stage = ContainerStage(metadata: first, isSeekable: isSeekable)
        var file = WrittenFile()
        // The same by the short way for what nobody needs to look at.
        var (short, shortFile) = (stage, WrittenFile())
        for write in writes {
            let offset = UInt64(write.offset)
            file.write(try stage.write(write.bytes, at: offset))
            if let target = short.pass(count: write.bytes.count, prefix: Array(write.bytes.prefix(16)), at: offset) {
                shortFile.write([PositionedBytes(offset: target, bytes: write.bytes)])
            } else {
                shortFile.write(try short.write(write.bytes, at: offset))
            }
        }
        file.write(stage.finish(last ?? first))
        shortFile.write(short.finish(last ?? first))
        #expect(shortFile.bytes == file.bytes && short.notices == stage.notices)
        return (file, stage)
    }
}

/// Files of RPUs as dovi_tool reads and writes them, `RPU.bin`: one for each picture in the order of display, each with
/// a start code of four bytes and emulation prevention, without the NAL unit's header.
package enum DolbyVisionRPUFile {
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Reads a file. NAL units that have their header and start codes of three bytes are read too.
    package static func rpus(in file: UnsafeRawBufferPointer) throws(BitstreamError) -> [DolbyVisionRPU] {
        var rpus: [DolbyVisionRPU] = []
        var sequence: DolbyVisionRPU.SequenceInfo?
        for unit in try units(of: file) {
            do {
                let rpu = try DolbyVisionRPU(nalUnit: file.part(unit), sequence: sequence)
                sequence = rpu.header.sequence ?? sequence
                rpus.append(rpu)
            } catch {
                throw BitstreamError("RPU \(rpus.count + 1) of the file: \(error.message)", at: unit.lowerBound)
            }
        }
        guard !rpus.isEmpty else { throw BitstreamError("the file has no Dolby Vision RPU") }
        return rpus
    }

    package static func rpus(in file: [UInt8]) throws(BitstreamError) -> [DolbyVisionRPU] {
        try file.withRawBytes { (bytes) throws(BitstreamError) in try rpus(in: bytes) }
    }

    /// The RPUs of a file, unparsed: each starts with the prefix byte, with emulation prevention.
    package static func pieces(of file: UnsafeRawBufferPointer) throws(BitstreamError) -> [[UInt8]] {
        let pieces = try units(of: file).map { unit in
            let bytes = file.part(unit)
            return Array(bytes.first == DolbyVisionRPU.prefix ? bytes : bytes.part(min(2, bytes.count)..<bytes.count))
        }
        guard !pieces.isEmpty else { throw BitstreamError("the file has no Dolby Vision RPU") }
        return pieces
    }

    package static func pieces(of file: [UInt8]) throws(BitstreamError) -> [[UInt8]] {
        try file.withRawBytes { (bytes) throws(BitstreamError) in try pieces(of: bytes) }
    }

    /// A file of RPUs as others had them.
    package static func bytes(of pieces: some Sequence<[UInt8]>) -> [UInt8] {
        pieces.reduce(into: []) { file, piece in
            file += startCode
            file += piece
        }
    }

    /// Whether a file begins as files of RPUs do, and not as streams of HEVC do.
    package static func begins(_ file: some Collection<UInt8>) -> Bool {
        let start = Array(file.prefix(6))
        return [startCode, [0, 0, 1]].contains { code in
            let rest = start.dropFirst(code.count)
            return start.starts(with: code)
                && (rest.first == DolbyVisionRPU.prefix || rest.first == HEVCUnitType.dolbyVisionRPU << 1)
        }
    }

    /// A file of RPUs.
    package static func bytes(of rpus: some Sequence<DolbyVisionRPU>) throws(BitstreamError) -> [UInt8] {
        var file: [UInt8] = []
        var sequence: DolbyVisionRPU.SequenceInfo?
        for rpu in rpus {
            file += startCode
            file += try rpu.escaped(sequence: sequence)
            sequence = rpu.header.sequence ?? sequence
        }
        return file
    }

    /// Zeros behind an RPU are part of it, because in a file they would not be noticed elsewhere.
    private static func units(of file: UnsafeRawBufferPointer) throws(BitstreamError) -> [Range<Int>] {
        guard file.starts(with: startCode) else {
            var reader = NALReader(file, framing: .byteStream)
            var units: [Range<Int>] = []
            while let unit = try reader.next() { units.append(unit.content.lowerBound..<unit.framed.upperBound) }
            return units
        }
        // Old versions of dovi_tool did not escape the CRC, where a start code of three bytes may therefore be seen.
        var starts: [Int] = []
        var zeros = 0
        for index in file.indices {
            if file[index] == 1, zeros >= 3 { starts.append(index + 1) }
            zeros = file[index] == 0 ? zeros + 1 : 0
        }
        return starts.indices.map { index in
            starts[index]..<(index + 1 < starts.count ? starts[index + 1] - startCode.count : file.count)
        }
    }
}

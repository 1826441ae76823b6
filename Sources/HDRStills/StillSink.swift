/// Takes the bytes of a file that is being written: some bytes, and their offset from the start of the file. The bytes
/// are valid only during the call. Each offset is the end of the bytes before, except that OpenEXR's table of lines is
/// filled in after the lines.
package typealias StillSink = (_ bytes: UnsafeRawBufferPointer, _ offset: Int) throws(StillError) -> Void

/// Writes bytes consecutively to a sink.
struct SequentialOutput {
    let sink: StillSink
    private(set) var offset = 0

    init(_ sink: @escaping StillSink) {
        self.sink = sink
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(StillError) {
        guard !bytes.isEmpty else { return }
        try sink(bytes, offset)
        let (end, overflows) = offset.addingReportingOverflow(bytes.count)
        guard !overflows else { throw StillError("the file would be larger than a file can be") }
        offset = end
    }

    mutating func write(_ bytes: [UInt8]) throws(StillError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(StillError) in try write(UnsafeRawBufferPointer(buffer)) }
    }
}

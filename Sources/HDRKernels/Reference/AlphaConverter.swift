import HDRColor

/// Converts alpha of one row, or fills it with opaque alpha where there is none.
struct AlphaConverter {
    private let reader: SampleReader
    private let writer: SampleWriter

    @inline(__always) init(_ reader: SampleReader, _ writer: SampleWriter) {
        self.reader = reader
        self.writer = writer
    }

    @inline(__always)
    func convert(_ source: FrameView, _ target: FrameView, _ y: Int, scratch: UnsafeMutablePointer<UInt16>) {
        let layout = writer.layout
        guard layout.alpha != nil || layout.hasAlpha || layout.packing == .binary16 else { return }
        if reader.layout.hasAlpha && layout.hasAlpha {
            reader.readAlpha(source, y, count: source.width, into: scratch)
            writer.writeAlpha(target, y, count: source.width, from: scratch, bits: reader.layout.alphaBits)
        } else {
            writer.writeAlpha(target, y, count: source.width, from: nil, bits: layout.alphaBits)
        }
    }
}

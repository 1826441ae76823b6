import CSIMD

/// Copies `count` samples, from column `x` on, of a component that both formats hold in a plane of its own, without
/// scratch memory in between.
@inline(never)
func moveSamples<Form: SampleForm>(
    _ form: Form.Type, _ layout: KernelLayout, _ writer: Writer, _ from: UnsafeMutablePointer<UInt8>,
    _ to: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ code: Form.Code
) {
    if layout.bytes_per_word == 1 {
        moveSamples(form, Bytes.self, layout, writer, from, to, x, count, code)
    } else if layout.is_big_endian != 0 {
        moveSamples(form, Words<BigEndian>.self, layout, writer, from, to, x, count, code)
    } else {
        moveSamples(form, Words<LittleEndian>.self, layout, writer, from, to, x, count, code)
    }
}

@inline(__always)
private func moveSamples<Form: SampleForm, From: PlaneWords>(
    _ form: Form.Type, _ source: From.Type, _ layout: KernelLayout, _ writer: Writer,
    _ from: UnsafeMutablePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ code: Form.Code
) {
    if writer.layout.bytes_per_word == 1 {
        moveSamples(form, source, Bytes.self, layout, writer, from, to, x, count, code)
    } else if writer.layout.is_big_endian != 0 {
        moveSamples(form, source, Words<BigEndian>.self, layout, writer, from, to, x, count, code)
    } else {
        moveSamples(form, source, Words<LittleEndian>.self, layout, writer, from, to, x, count, code)
    }
}

@inline(__always)
private func moveSamples<Form: SampleForm, From: PlaneWords, To: PlaneWords>(
    _ form: Form.Type, _ source: From.Type, _ target: To.Type, _ layout: KernelLayout, _ writer: Writer,
    _ from: UnsafeMutablePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, _ x: Int, _ count: Int, _ code: Form.Code
) {
    let (from, to) = (from + source.bytes &* x, to + target.bytes &* x)
    let (right, left) = (layout.shift, writer.layout.shift)
    let top: Int32 = (1 &<< layout.bits) &- 1
    let whole = count &- count % lanes
    var i = 0
    while i < whole {
        let samples = form.samples(cv_right(source.load(from, i), right), upTo: top)
        target.store(to, i, cv_left(code(samples, i), left))
        i &+= lanes
    }
    while i < count {
        let sample = form.sample(Int32(source.get(from, i)) &>> right, upTo: top)
        target.put(to, i, code.single(sample, i, writer.top) &<< UInt16(truncatingIfNeeded: left))
        i &+= 1
    }
}

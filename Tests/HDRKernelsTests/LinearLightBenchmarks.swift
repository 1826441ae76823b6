import Testing

@testable import HDRKernels

/// Times of 1920x1080 pixels on one thread, where the environment has `GST_HDR_BENCH=1`.
@Suite(.enabled(if: Benchmark.isWanted), .serialized) struct LinearLightBenchmarks {
    @Test(arguments: InstructionSet.supported) func times(_ set: InstructionSet) throws {
        let stream = LinearLightTests.Case(format: "P010_10LE", set: set).stream()
        try report("\(set)", LinearLightConverter(source: stream, width: 1920, instructionSet: set), stream)
    }

    @Test func definition() throws {
        let stream = LinearLightTests.Case(format: "P010_10LE", set: .baseline).stream()
        try report("definition", LinearLightConverter.definition(source: stream, width: 1920), stream)
    }

    private func report(_ name: String, _ made: LinearLightConverter?, _ stream: StreamSignal) throws {
        let converter = try #require(made)
        let source = LinearLightTests.natural(stream, 1920, 1080)
        let target = Picture(stream.layout, 1920, 1080)
        let light = LightMemory(1920, 1080, .half)
        func time(_ step: String, _ body: () -> Void) {
            let least = (0..<5).map { _ in ContinuousClock().measure(body) }.min()!
            print("linear light\t\(name)\t\(step)\t\(least)")
        }
        let rows = 0..<1080
        time("read") { converter.decode(source.view, rows: rows, into: light.rows, thread: 0) }
        time("keep") { converter.encode(light.rows, from: source.view, into: target.view, rows: rows, thread: 0) }
        time("encode") { converter.encode(light.rows, into: target.view, rows: rows, thread: 0) }
        for i in 0..<light.count / 4 { light.set(half: 4 * i, 0x3800) }
        time("change") { converter.encode(light.rows, from: source.view, into: target.view, rows: rows, thread: 0) }
        let sepia = Effect { pixels in
            for i in 0..<pixels.count { pixels.red[i] = 0.9 * pixels.red[i] + 0.1 * pixels.green[i] }
        }
        time("process") { converter.process(source.view, into: target.view, rows: rows, thread: 0, sepia) }
    }
}

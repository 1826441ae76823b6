import Foundation
import HDRColor

@testable import HDRKernels

/// Times what a test has just held to the definition, where the environment has `GST_HDR_BENCH=1`: a line a kernel,
/// "ns/pixel", the time, the kernel and the job, separated by tabs.
///
/// Processor time of one thread, the least of several rounds, so that tests which run beside it do not count.
enum Benchmark {
    static let isWanted = ProcessInfo.processInfo.environment["GST_HDR_BENCH"] == "1"
    private static let size = (width: 1920, height: 32)

    /// - Parameter reshaping: of a job whose source is a base layer.
    static func report(_ job: Job, _ kernels: [Kernel], reshaping: Reshaping? = nil) {
        guard isWanted else { return }
        let source = Picture(job.format.source, size.width, size.height)
        source.fill(1)
        let target = Picture(job.format.target, size.width, size.height)
        for kernel in kernels {
            let converter = job.converter(kernel, width: size.width)
            let reshaper = reshaping.map {
                Reshaper($0, layout: source.layout, isCoarse: job.isCoarse, instructionSet: kernel.set)
            }
            let view = source.view.reshaped(by: reshaper)
            converter.convert(view, target.view, slice: 0)
            var least = Double.infinity
            for _ in 0..<7 {
                let begin = now()
                var rounds = 0.0
                repeat {
                    withExtendedLifetime(reshaper) { converter.convert(view, target.view, slice: 0) }
                    rounds += 1
                } while now() - begin < 2e6
                least = min(least, (now() - begin) / rounds)
            }
            let time = least / Double(size.width * size.height)
            print("ns/pixel\t\(String(format: "%.3f", time))\t\(kernel)\t\(job.name)")
        }
    }

    /// The processor time of this thread in nanoseconds.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

import HDRColor
import Testing

@testable import HDRKernels

/// HDR10+'s tone curve by the kernels of each instruction set, against the definition in double precision.
@Suite struct SceneCurveKernelTests {
    static let scenes: [(SIMD2<Double>, [Double], Double)] = [
        (SIMD2(0.0586, 0.2051), [0.261, 0.4106, 0.5494, 0.6637, 0.7507, 0.8182, 0.8749, 0.9257, 0.9658], 500),
        (SIMD2(0, 0), [0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99], 400),
        (SIMD2(0.25, 0.5), [], 300), (SIMD2(0.01, 0.05), Array(repeating: 0.9, count: 15), 1000),
        (SIMD2(0.1, 0.1), [0.12, 0.24, 0.37, 0.5, 0.62, 0.75, 0.9], 203),
    ]

    static let jobs: [Job] = scenes.enumerated().flatMap { index, scene in
        [("NV12", KernelAccuracyTests.Signal.sdr), ("I420_10LE", .pq)].map { format, target in
            var settings = ConversionSettings.clipped
            settings.toneCurve = .st209440
            settings.sourcePeak = 1000
            settings.targetPeak = target == .pq ? 600 : nil
            settings.sceneCurve = SceneToneCurve(kneePoint: scene.0, anchors: scene.1, targetedPeak: scene.2)
            let (from, to) = (layout("P010_10LE"), layout(format))
            return Job("scene \(index) to \(target)", .pq(from), target.signal(to), (from, to), settings)
        }
    }

    @Test(arguments: jobs) func kernelsAreTheDefinition(_ job: Job) {
        #expect(job.plan.sceneCurve != nil)
        let pictures = [
            KernelColors.greys(job.format.source, height: 2),
            KernelColors.natural(job.plan.source, job.format.source, peak: 1200),
        ]
        for source in pictures {
            let expected = job.definition(source)
            for kernel in Kernel.exact {
                let difference = Difference(job.picture(kernel, source), expected)
                #expect(difference.largest <= 1, "\(kernel): \(difference)")
            }
        }
        Benchmark.report(job, Kernel.exact.filter { $0.quality == .balanced })
    }
}

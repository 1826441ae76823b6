import Foundation
import Testing

/// The compiler rejects functions marked `@_noLocks` that might allocate, lock or wait, in debug and release builds.
@Suite(.serialized) struct RealTimeCheckTests {
    static let modes = ["-Onone", "-O"]

    /// Code that an application's `process` may contain, in a module of its own.
    static let accepted = """
        import HDRTap

        struct Echo: ~Copyable, AudioProcessor {
            let wet: AudioParameter
            let peaks: AudioQueue<Float>
            private var memory = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
            private var next = 0
            private var taps: InlineArray<4, Float> = [1, 0.5, 0.25, 0.125]
            private var sum = SIMD4<Float>()

            init(wet: borrowing AudioParameter, peaks: borrowing AudioQueue<Float>) {
                self.wet = wet.share()
                self.peaks = peaks.share()
            }

            deinit { memory.deallocate() }

            static func accepts(_ format: AudioFormat) -> Bool { format.sample == .float32 || format.sample == .int16 }

            mutating func prepare(_ format: AudioFormat, maxFrames: Int) throws -> AudioDelay {
                memory.deallocate()
                memory = .allocate(capacity: format.rate)
                memory.initialize(repeating: 0)
                return AudioDelay(tail: format.rate)
            }

            @_noLocks mutating func process(_ context: inout AudioContext) {
                let source = context.pull()
                if source.flags.contains(.startOfStream) || context.flags.contains(.startOfStream) { clear() }
                let wet = wet.value
                var peak: Float = 0
                for channel in 0..<context.format.channels {
                    let samples = context.samples(channel)
                    for frame in samples.indices {
                        let old = memory[next]
                        memory[next] = samples[frame] + 0.5 * old * taps[frame & 3]
                        samples[frame] += wet * RealTime.sin(old) + RealTime.pow(10, RealTime.log10(1 + abs(old)))
                        peak = max(peak, abs(samples[frame]))
                        next = (next + 1) % memory.count
                    }
                    if let all = samples.contiguous {
                        for index in all.indices { sum += SIMD4(repeating: all[index]) }
                    }
                }
                let whole = context.samples(0, as: Int16.self)
                for frame in whole.indices { whole[frame] = -whole[frame] }
                let bytes = context.bytes(0)
                for index in 0..<min(bytes.count, 4) { bytes[index] ^= 1 }
                if !peaks.enqueue(peak) { self.wet.value *= 0.5 }
                if source.start < source.duration { context.framesOut = source.frames }
                if context.flags.contains(.endOfStream) && peak == 0 { context.flagsOut.insert(.endOfStream) }
                context.flagsOut = context.frames > 2 ? .endOfStream : AudioFlags(rawValue: 0)
            }

            @_noLocks private mutating func clear() {
                for index in memory.indices { memory[index] = 0 }
                next = 0
            }
        }
        """

    /// Code that it may not contain. Each line that ends in a comment is an error of that kind.
    static let rejected = """
        import Glibc
        import HDRTap
        import Synchronization

        final class Counter { var count = 0 }
        protocol Shape { func area() -> Float }
        struct Failure: Error {}

        struct Bad: ~Copyable, AudioProcessor {
            var history: [Float] = []
            var name = ""
            var counter = Counter()
            let shape: any Shape
            let function: (Float) -> Float
            let mutex = Mutex(0)
            let lock: UnsafeMutablePointer<pthread_mutex_t>

            @_noLocks mutating func process(_ context: inout AudioContext) {
                context.pull()
                history.append(1) // counting
            }
            @_noLocks mutating func set() { history[0] = 1 } // counting
            @_noLocks func keep() -> Counter { counter } // counting
            @_noLocks func make() -> Int { Counter().count } // type
            @_noLocks func memory() { UnsafeMutablePointer<Float>.allocate(capacity: 1).deallocate() } // allocation
            @_noLocks func cMemory() { free(malloc(3)) } // unknown
            @_noLocks func cLock() { pthread_mutex_lock(lock) } // unknown
            @_noLocks func swiftLock() { mutex.withLock { $0 += 1 } } // unknown
            @_noLocks func output() { print("x") } // type
            @_noLocks mutating func text() { name += "x" } // counting
            @_noLocks func existential() -> Float { shape.area() } // type
            @_noLocks func stored() -> Float { function(1) } // counting
            @_noLocks func wait() { usleep(3) } // unknown
            @_noLocks func library() -> Float { sinf(1) } // unknown
            @_noLocks func task() { Task {} } // type
            @_noLocks func fails() throws { throw Failure() } // type
            @_noLocks func calls() { helper() }
            func helper() { print("x") } // type
        }
        """

    static let kinds = [
        "counting": "reference counting operations which can cause locking",
        "type": "can cause metadata allocation or locks",
        "allocation": "can cause an allocation",
        "unknown": "called function is not available in this module",
    ]

    @Test(arguments: modes) func applicationsAreChecked(_ mode: String) throws {
        let compiler = try Compiler()
        let imports = try Compiler.imports() + [mode, "-I" + compiler.folder.path]
        let module = try compiler.tapModule(imports)
        #expect(module.status == 0, "\(module.text)")

        let accepted = try compiler.check([compiler.write(Self.accepted, to: "Accepted.swift")], imports)
        #expect(accepted.status == 0 && accepted.text == "", "\(accepted.text)")

        let rejected = try compiler.check([compiler.write(Self.rejected, to: "Rejected.swift")], imports)
        #expect(rejected.status != 0)
        var errors = rejected.errors(in: "Rejected.swift")
        for (index, line) in Self.rejected.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let comment = line.firstMatch(of: /\/\/ (\w+)$/) else { continue }
            let error = errors.removeValue(forKey: index + 1) ?? "no error"
            let kind = try #require(Self.kinds[String(comment.1)])
            #expect(error.contains(kind), "\(line)\n\(error)")
        }
        #expect(errors.isEmpty, "\(rejected.text)")
    }

    /// An unmarked function is not checked: the documentation says so, and this test fails when that changes.
    @Test func theMarkIsTheAuthorsToWrite() throws {
        let compiler = try Compiler()
        let imports = try Compiler.imports() + ["-Onone", "-I" + compiler.folder.path]
        #expect(try compiler.tapModule(imports).status == 0)
        let text = """
            import HDRTap
            struct Unmarked: AudioProcessor {
                mutating func process(_ context: inout AudioContext) { print("x") }
            }
            """
        let outcome = try compiler.check([compiler.write(text, to: "Unmarked.swift")], imports)
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    /// A lock in a function of the built-in effects does not compile: planted in the first function of each file
    /// that is marked and returns nothing.
    @Test(arguments: modes) func builtInEffectsAreChecked(_ mode: String) throws {
        let compiler = try Compiler()
        let planted = try compiler.write("final class Planted { init() {} }", to: "Planted.swift")
        var files = [planted]
        var marked: [String] = []
        for source in try Compiler.sources("Sources/HDRAudio") {
            var text = try String(contentsOf: source, encoding: .utf8)
            if let match = text.firstMatch(of: /@_noLocks [^{@>]*func [^{@>]*\{\n/) {
                text.insert(contentsOf: "_ = Planted(); ", at: match.range.upperBound)
                marked.append(source.lastPathComponent)
            }
            files.append(try compiler.write(text, to: source.lastPathComponent))
        }
        #expect(!marked.isEmpty)
        let imports = [mode, "-I" + compiler.folder.path]
        let base = try compiler.module("HDRConcurrency", imports)
        #expect(base.status == 0, "\(base.text)")
        let outcome = try compiler.check(
            files, imports + ["-wmo", "-package-name", "gst_hdr", "-module-name", "HDRAudio"])
        #expect(outcome.status != 0)
        for name in marked {
            let errors = outcome.errors(in: name).values
            #expect(
                errors.contains { $0.contains("'Planted' can cause metadata allocation or locks") },
                "\(name): \(outcome.text)")
        }
    }
}

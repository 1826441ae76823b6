import CGStreamer
import CGstCheck
import GstBridge
import Glibc
import HDRKernels
import Synchronization
import TestSupport
import Testing

@Suite(.quiet)
struct PropertiesTests {
    struct Choice: Sendable, CustomTestStringConvertible {
        let property: String
        let nicks: [String]
        var testDescription: String { property }
    }

    /// Names and order are a contract with users and bindings. The first is the default unless another is given here.
    static let choices = [
        Choice(
            property: "tone-mapping",
            nicks: [
                "auto", "none", "clip", "bt2390", "bt2446a", "bt2446c", "spline", "reinhard", "hable", "mobius",
                "reference-white",
            ]),
        Choice(property: "tone-mapping-domain", nicks: ["max-rgb", "luminance", "rgb", "ictcp"]),
        Choice(property: "inverse-tone-mapping", nicks: ["none", "bt2446a", "bt2446c", "spline", "auto"]),
        Choice(property: "gamut-mapping", nicks: ["clip", "softclip", "desaturate", "perceptual", "auto"]),
        Choice(property: "dither", nicks: ["none", "ordered", "blue-noise"]),
        Choice(property: "chroma-mode", nicks: ["linear", "nearest"]),
        Choice(property: "quality", nicks: ["fast", "balanced", "reference"]),
    ]
    static let defaults = ["gamut-mapping": "auto", "dither": "ordered", "quality": "balanced"]

    @Test(arguments: choices) func enumeration(_ choice: Choice) throws {
        let harness = try Harness()
        #expect(harness.text(choice.property) == Self.defaults[choice.property] ?? choice.nicks[0])
        for (index, nick) in choice.nicks.enumerated() {
            harness.set(choice.property, nick)
            #expect(harness.text(choice.property) == nick)
            #expect(harness.number(choice.property) == Double(index))
        }
        let type = try #require(harness.specification(choice.property)).pointee.value_type
        let values = try #require(g_type_class_ref(type))
        #expect(Int(values.assumingMemoryBound(to: GEnumClass.self).pointee.n_values) == choice.nicks.count)
        g_type_class_unref(values)
    }

    @Test(arguments: [
        ("reference-white", 1.0, 203.0, 10000.0), ("source-peak", 0, 0, 10000), ("target-peak", 0, 0, 10000),
        ("hlg-peak", 100, 1000, 10000), ("n-threads", 0, 0, 256), ("contrast-recovery", -1, -1, 1),
    ])
    func number(_ property: String, _ least: Double, _ usual: Double, _ most: Double) throws {
        let harness = try Harness()
        #expect(harness.number(property) == usual)
        for value in [least, most, usual, least] {
            harness.set(property, property == "n-threads" ? "\(Int(value))" : "\(value)")
            #expect(harness.number(property) == value)
        }
    }

    /// Each can be changed while playing, as its flags say; luminances can be controlled over time.
    @Test func flags() throws {
        let harness = try Harness()
        let lights = ["reference-white", "source-peak", "target-peak", "hlg-peak"]
        for name in Self.choices.map(\.property) + lights + ["n-threads", "contrast-recovery"] {
            let specification = try #require(harness.specification(name))
            let flags = specification.pointee.flags.rawValue
            #expect(flags & Int32(1 << (G_PARAM_USER_SHIFT + 4)) != 0, "\(name) is mutable in PLAYING")
            let isControllable = lights.contains(name) || name == "contrast-recovery"
            #expect((flags & Int32(1 << (G_PARAM_USER_SHIFT + 1)) != 0) == isControllable, "\(name) controllable")
            let blurb = try #require(g_param_spec_get_blurb(specification).map { String(cString: $0) })
            #expect(!blurb.isEmpty)
            if lights.contains(name) { #expect(blurb.contains("cd/m2"), "\(name) says its unit") }
        }
    }

    // MARK: Changes while frames flow

    /// Whether the qualities make different pictures of few colours. Kernels of tables, which debug builds and
    /// processors without permutes have, round balanced and fast alike.
    static let qualitiesDiffer: Bool = {
        #if DEBUG
            false
        #else
            InstructionSet.best > .baseline
        #endif
    }()

    /// The next buffer has the new setting, whole; the one before has the old one.
    @Test(arguments: [
        ("tone-mapping", "none", "hable"), ("tone-mapping-domain", "max-rgb", "rgb"), ("reference-white", "203", "100"),
        ("source-peak", "0", "4000"), ("target-peak", "0", "100"), ("gamut-mapping", "auto", "softclip"),
        ("dither", "ordered", "none"), ("dither", "ordered", "blue-noise"), ("quality", "balanced", "fast"),
        ("chroma-mode", "linear", "nearest"),
        ("contrast-recovery", "-1", "0.5"), ("contrast-recovery", "0.2", "1"),
    ])
    func nextBuffer(_ property: String, _ before: String, _ after: String) throws {
        let source = caps("P010_10LE", "bt2100-pq", 48, 32)
        let picture = Self.colourful
        // A picture is then converted alike, whatever was measured before it.
        let fixed = ["peak-detection": "off"]
        let toneMapping = property == "tone-mapping" ? fixed : fixed.merging(["tone-mapping": "bt2390"]) { $1 }
        func alone(_ value: String) throws -> PictureCodes {
            try Harness(source, to: want("NV12"), toneMapping.merging([property: value]) { $1 }).convert(picture)
        }
        let (old, new) = (try alone(before), try alone(after))
        if property != "quality" || Self.qualitiesDiffer { #expect(old != new) }
        let harness = try Harness(source, to: want("NV12"), toneMapping.merging([property: before]) { $1 })
        for value in [before, after, before, after] {
            harness.set(property, value)
            #expect(try harness.convert(picture) == (value == before ? old : new))
        }
    }

    static let colourful = PictureCodes(48, 32) { x, y in
        SIMD4(UInt16(64 + 18 * x), UInt16(200 + 19 * y), UInt16(800 - 12 * x), 1023)
    }

    /// Output caps say the new peak before the first buffer that has it.
    @Test func metadataFollowsTargetPeak() throws {
        let source = caps("P010_10LE", "bt2100-pq", mastering: Mastering.p3at(1000), light: "900:200")
        let harness = try Harness(source)
        let bright = PictureCodes(32, 8, 769, 512, 512)
        _ = harness.eventTypes()
        for (peak, mastering, light) in [
            ("400", 400, "400:200"), ("600", 600, "600:200"), ("0", 1000, "900:200"), ("150", 150, "150:150"),
            ("2000", 1000, "900:200"),
        ] {
            harness.set("target-peak", peak)
            let result = try harness.convert(bright)
            #expect(harness.output("mastering-display-info") == Mastering.p3at(mastering))
            #expect(harness.output("content-light-level") == light)
            #expect((result[0, 0].x < 769) == (mastering < 1000), "\(peak): \(result[0, 0])")
            _ = try harness.convert(bright)
            #expect(harness.output("mastering-display-info") == Mastering.p3at(mastering))
            #expect(harness.eventTypes().filter { $0 == GST_EVENT_CAPS }.count == 1, "caps are sent once")
        }
        #expect(harness.messages().isEmpty)
    }

    /// A setting that ends passthrough while playing, and one that restores it.
    @Test(arguments: [0, 64]) func passthroughTurnsOffAndOn(_ padding: Int) throws {
        let harness = try Harness(caps("P010_10LE", "bt2100-pq", site: "cosited"))
        let info = try harness.inputInfo()
        let bright = PictureCodes(32, 8, 900, 512, 512)
        for _ in 0..<3 {
            harness.set("target-peak", "0")
            let input = try Buffer(bright, info, padding: padding)
            #expect(try harness.convert(input).pointer == input.pointer)
            harness.set("target-peak", "400")
            for _ in 0..<2 {
                let input = try Buffer(bright, info, padding: padding)
                let output = try harness.convert(input)
                #expect(output.pointer != input.pointer)
                // 400 cd/m² is code 636.
                #expect(try output.picture(info) == PictureCodes(32, 8, 636, 512, 512, alpha: 1023))
                #expect(output.pointer.pointee.pool != nil, "memory is used again")
            }
            #expect(try input.picture(info) == PictureCodes(32, 8, 900, 512, 512, alpha: 1023))
        }
    }

    // MARK: Storms

    /// Threads change settings while frames flow: each frame is of one setting from corner to corner.
    @Test func stormOfSettings() throws {
        let source = caps("P010_10LE", "bt2100-pq", 64, 64)
        let picture = PictureCodes.ramp(64, 64, bits: 10)
        let values: [(String, [String])] = [
            ("tone-mapping", ["clip", "bt2390", "hable"]), ("reference-white", ["100", "203"]),
            ("quality", ["fast", "balanced"]), ("dither", ["none", "ordered"]), ("n-threads", ["1", "2", "3"]),
        ]
        var combinations = [["peak-detection": "off"]]
        for (name, choices) in values.dropLast() {
            combinations = combinations.flatMap { settings in
                choices.map { settings.merging([name: $0]) { $1 } }
            }
        }
        var possible: Set<PictureCodes> = []
        for settings in combinations {
            possible.insert(try Harness(source, to: want("I420"), settings).convert(picture))
        }
        // Three curves, two whites, with dither and without; and the qualities.
        #expect(Self.qualitiesDiffer ? possible.count > 12 : possible.count == 12)

        let harness = try Harness(source, to: want("I420"), combinations[0])
        let stop = Atomic(false)
        let seen = Mutex<Set<PictureCodes>>([])
        let frames = Mutex(0)
        let changers: [@Sendable () -> Void] = (0..<3).map { seed in
            {
                var random = SeededGenerator(seed: UInt64(seed))
                while !stop.load(ordering: .relaxed) {
                    let (name, choices) = values[Int.random(in: 0..<values.count, using: &random)]
                    harness.set(name, choices.randomElement(using: &random) ?? choices[0])
                    _ = harness.number(name)
                    // The pause lets the streaming thread get the lock, and one picture see many settings.
                    usleep(200)
                }
            }
        }
        let streaming: @Sendable () -> Void = {
            let end = g_get_monotonic_time() + Int(3_000_000 * max(TestWork.scale, 0.3))
            // A busy machine needs longer to show enough.
            let last = end + 60_000_000
            while g_get_monotonic_time() < end || (frames.withLock { $0 } <= 20 && g_get_monotonic_time() < last) {
                guard let result = try? harness.convert(picture) else { break }
                _ = seen.withLock { $0.insert(result) }
                frames.withLock { $0 += 1 }
            }
            stop.store(true, ordering: .relaxed)
        }
        onThreads(changers + [streaming])
        let all = seen.withLock { $0 }
        #expect(all.isSubset(of: possible), "\(all.subtracting(possible).count) frames are of no one setting")
        #expect(all.count > 3, "settings arrive")
        #expect(frames.withLock { $0 } > 5)
        #expect(harness.messages().isEmpty)
    }

    /// Every property, every value in its range, while passing through turns on and off and caps change.
    @Test func stormOfEverything() throws {
        let harness = try Harness(
            caps("P010_10LE", "bt2100-pq", 48, 32, mastering: Mastering.p3at(1000), light: "1000:400"), to: want())
        let stop = Atomic(false)
        let lights = ["reference-white", "source-peak", "target-peak", "hlg-peak"]
        let changers: [@Sendable () -> Void] = (0..<4).map { seed in
            {
                var random = SeededGenerator(seed: UInt64(seed) + 50)
                while !stop.load(ordering: .relaxed) {
                    if Bool.random(using: &random) {
                        let choice = Self.choices[Int.random(in: 0..<Self.choices.count, using: &random)]
                        // The definition itself would leave no time for anything else.
                        let nicks = choice.nicks.filter { $0 != "reference" }
                        harness.set(choice.property, nicks.randomElement(using: &random) ?? nicks[0])
                    } else if Bool.random(using: &random) {
                        let value = [100, 203, 400, 1000, 10000, Double.random(in: 100...10000, using: &random)]
                        harness.set(
                            lights.randomElement(using: &random) ?? "hlg-peak",
                            "\(value.randomElement(using: &random) ?? 100)")
                    } else {
                        harness.set("n-threads", "\(Int.random(in: 0...256, using: &random))")
                        harness.set("target-peak", "0")
                        harness.set("contrast-recovery", "\(max(Double.random(in: -0.5...1, using: &random), 0))")
                    }
                    // The pause lets the streaming thread get the lock.
                    usleep(300)
                }
            }
        }
        let failures = Mutex(0)
        let streaming: @Sendable () -> Void = {
            let end = g_get_monotonic_time() + Int(3_000_000 * max(TestWork.scale, 0.3))
            let targets = [want(), want("NV12"), want("Y444_10LE", "bt2100-hlg"), want("RGBA")]
            var count = 0
            while g_get_monotonic_time() < end {
                count += 1
                if count % 8 == 0 { gst_harness_set_sink_caps_str(harness.harness, targets[count / 8 % targets.count]) }
                if (try? harness.convert(Self.colourful)) == nil { failures.withLock { $0 += 1 } }
            }
            stop.store(true, ordering: .relaxed)
        }
        onThreads(changers + [streaming])
        #expect(failures.withLock { $0 } == 0)
        #expect(harness.messages().isEmpty)
    }
}

extension Harness {
    func specification(_ name: String) -> UnsafeMutablePointer<GParamSpec>? {
        guard let type = UnsafeMutableRawPointer(element).load(as: UnsafeMutablePointer<GObjectClass>?.self) else {
            return nil
        }
        return g_object_class_find_property(type, name)
    }

    private func value<Result>(_ name: String, _ body: (UnsafeMutablePointer<GValue>) -> Result) -> Result? {
        guard let specification = specification(name) else { return nil }
        var value = GValue()
        g_value_init(&value, specification.pointee.value_type)
        defer { g_value_unset(&value) }
        g_object_get_property(object, name, &value)
        return body(&value)
    }

    /// The value as a launch line writes it.
    func text(_ name: String) -> String? {
        value(name) { value in
            guard let text = gst_value_serialize(value) else { return "" }
            defer { g_free(text) }
            return String(cString: text)
        }
    }

    func number(_ name: String) -> Double? {
        value(name) { value in
            let kind = g_type_fundamental(value.pointee.g_type)
            switch kind {
            case GTypes.double: return g_value_get_double(value)
            case GTypes.uint: return Double(g_value_get_uint(value))
            default: return Double(g_value_get_enum(value))
            }
        }
    }
}

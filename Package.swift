// swift-tools-version: 6.1
import PackageDescription

// One plugin file holds every element. meson-wrap/build-plugin builds the release plugin and the command `hdr`, which
// carry the Swift standard library; a plain `swift build` gives a developer build that needs the toolchain's runtime.
let isForUse = Context.environment["GST_HDR_BUILD"] == "product"

/// The linker's flags of what is built for use: only exported symbols are kept, and one that no library has is an error
/// here, not in the program that loads the plugin.
func linkedForUse(_ flags: [String] = []) -> [LinkerSetting] {
    isForUse ? [.unsafeFlags((["--strip-all", "-z", "defs"] + flags).flatMap { ["-Xlinker", $0] })] : []
}

/// The vector kernels for one instruction set: each a module of its own, compiled from the same source, and not
/// optimised across modules, because code of one instruction set must not be inlined into another's. The kernels of
/// 16-bit fixed point exist for AVX-512 only. A debug build optimises them too, because vector code that is not
/// optimised is too slow to test with, and has curves in tables on each instruction set, because those that fit into
/// registers take long to find in a debug build. Where vectors are passed by address, a stack protector would add a
/// call to the loops.
func kernels(_ name: String, _ architecture: String? = nil) -> Target {
    let forArchitecture =
        architecture.map {
            ["-Xcc", "-march=\($0)", "-DHDR_\($0.uppercased().split(separator: "-").joined(separator: "_"))"]
        } ?? []
    let registerTables = architecture == nil ? [] : ["-DHDR_REGISTER_TABLES"]
    return .target(
        name: name, dependencies: ["CKernels", "CSIMD"], exclude: architecture == "x86-64-v4" ? [] : ["FixedPoint"],
        swiftSettings: [
            .unsafeFlags(
                ["-O", "-whole-module-optimization", "-disable-cmo", "-Xfrontend", "-disable-stack-protector"]
                    + forArchitecture + registerTables, .when(configuration: .release)),
            .unsafeFlags(["-O"] + forArchitecture, .when(configuration: .debug)),
        ])
}

/// Whether SwiftPM has fetched this package as another one's dependency, which it does into a folder of this name. It
/// takes no unsafe flags from a version of a dependency, and the libraries for applications are to be had by version.
let isFetched = Context.packageDirectory.split(separator: "/").contains("checkouts")

/// Code that fills tables is optimised in a debug build too: the sanitizers' tests make hundreds of converters, each
/// with tables that take seconds without.
let optimized: [SwiftSetting] = isFetched ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Tests that compute little, and have no real-time section, are not optimised in a release build either: they build
/// sooner so.
func lightTests(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [],
    linkerSettings: [LinkerSetting] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: path, exclude: exclude,
        swiftSettings: [.unsafeFlags(["-Onone"], .when(configuration: .release))], linkerSettings: linkerSettings)
}

/// Instruction sets beyond the baseline that there are kernels for: the module, the architecture, and what tells the
/// code that they are there. `GST_HDR_KERNELS` names the last one that is built, for tests: those of AVX-512 take the
/// longest to compile, and ThreadSanitizer's tests need none but the baseline's, which take the same threads through
/// the same code. Or it is the path of an archive that has the kernels of all sets already, such as the plugin's.
let kernelChoice = Context.environment["GST_HDR_KERNELS"]
let kernelArchive = kernelChoice.flatMap { $0.hasSuffix(".a") ? $0 : nil }
#if arch(x86_64)
    let allArchitectures = [
        ("HDRVectorKernelsAVX2", "x86-64-v3", "HDR_V3_KERNELS"),
        ("HDRVectorKernelsAVX512", "x86-64-v4", "HDR_V4_KERNELS"),
    ]
    let architectures = allArchitectures.prefix(
        kernelChoice.flatMap { ["baseline", "v3", "v4"].firstIndex(of: $0) } ?? 2)
#else
    let architectures: [(String, String, String)] = []
#endif
let kernelTargets =
    kernelArchive == nil ? [kernels("HDRVectorKernels")] + architectures.map { kernels($0.0, $0.1) } : []

let package = Package(
    name: "gst-hdr",
    products: [
        .library(name: "HDRTap", targets: ["HDRTap"]),
        .library(name: "HDRPipeline", targets: ["HDRPipeline"]),
        .library(name: "gsthdr", type: .dynamic, targets: ["GstHDR"]),
        .library(name: "gsthdrx265", type: .dynamic, targets: ["GstHDRX265"]),
        .executable(name: "hdr", targets: ["hdr"]),
    ],
    targets: [
        .systemLibrary(
            name: "CGStreamer",
            pkgConfig: "gstreamer-video-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(
            name: "CGstCheck",
            path: "Tests/Support/CGstCheck",
            pkgConfig: "gstreamer-check-1.0",
            providers: [.apt(["libgstreamer1.0-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CGstFFT", pkgConfig: "gstreamer-fft-1.0", providers: [.apt(["libgstreamer-plugins-base1.0-dev"])]),
        // libx265 is under the GPL: only the plugin hdrx265 links it.
        .systemLibrary(name: "CX265", pkgConfig: "x265", providers: [.apt(["libx265-dev"])]),
        .target(name: "CKernels"),
        .target(name: "CSIMD", dependencies: ["CKernels"]),
        .target(name: "CGstFormat", dependencies: ["CGStreamer"]),
        .target(name: "CHDRTap", dependencies: ["CGStreamer"]),
        .target(name: "CGstHDR", dependencies: ["CGStreamer", "CHDRTap"]),
        // The C library libgsthdr-1.0, which Meson builds for use.
        .target(
            name: "CHDRLibrary", dependencies: ["CGStreamer", "CHDRTap"], exclude: ["meson.build", "vala"],
            linkerSettings: [.linkedLibrary("gstcontroller-1.0")]),
        .target(
            name: "CGstHDRX265", dependencies: ["CGStreamer", "CHDRTap"],
            cSettings: [.headerSearchPath("../CGstHDR")]),
        .target(name: "HDRColor", swiftSettings: optimized),
        .target(name: "HDRMetadata", dependencies: ["HDRColor"]),
        .target(name: "HDRBitstream", dependencies: ["HDRColor", "HDRMetadata"]),
        .target(name: "HDRContainer", dependencies: ["HDRMetadata"]),
        .target(name: "HDRExport", dependencies: ["HDRMetadata"]),
        // What `hdr inspect` reports; the plugin does not link it.
        .target(name: "HDRInspection", dependencies: ["HDRColor", "HDRMetadata", "HDRBitstream", "HDRContainer"]),
        // JSON, of metadata too; the plugin does not link it.
        .target(name: "HDRJSON", dependencies: ["HDRBitstream", "HDRColor"]),
        .target(name: "HDRStills", dependencies: ["CZlib", "HDRMetadata"]),
        // What `hdr tap` draws; the plugin does not link it.
        .target(name: "HDRSpectrogram", dependencies: ["CGstFFT"], swiftSettings: optimized),
        .target(name: "HDRConcurrency"),
        .target(name: "HDRAudio", dependencies: ["HDRConcurrency"]),
        .target(
            name: "HDRKernels",
            dependencies: ["HDRColor", "HDRConcurrency", "CKernels", "CSIMD"]
                + kernelTargets.map { .target(name: $0.name) },
            swiftSettings: optimized + architectures.map { .define($0.2) },
            linkerSettings: kernelArchive.map { [.unsafeFlags([$0])] } ?? []),
        .target(
            name: "HDREffects", dependencies: ["CKernels", "HDRColor", "HDRKernels"], swiftSettings: optimized),
        .target(
            name: "HDRComposition", dependencies: ["CKernels", "HDRColor", "HDRKernels"], swiftSettings: optimized),
        .target(name: "GstBridge", dependencies: ["CGStreamer", "HDRConcurrency", "HDRKernels", "HDRMetadata"]),
        .target(
            name: "GstHDR",
            dependencies: [
                "CGStreamer", "CGstFormat", "CGstHDR", "CHDRTap", "GstBridge", "HDRAudio", "HDRBitstream", "HDRColor",
                "HDRComposition", "HDRConcurrency", "HDRContainer", "HDREffects", "HDRExport", "HDRKernels",
                "HDRMetadata", "HDRPresenter", "HDRStills",
            ],
            // lld keeps symbols that the version script hides out of the dynamic table, where gold leaves some of them.
            linkerSettings: linkedForUse(["--version-script=\(Context.packageDirectory)/meson-wrap/gsthdr.map"])),
        .target(
            name: "GstHDRX265",
            dependencies: [
                "CGStreamer", "CGstFormat", "CGstHDRX265", "CHDRTap", "CX265", "GstBridge", "HDRBitstream",
                "HDRConcurrency", "HDRMetadata",
            ],
            linkerSettings: linkedForUse([
                "--version-script=\(Context.packageDirectory)/meson-wrap/gsthdrx265.map"
            ])),

        .plugin(name: "WaylandBindings", capability: .buildTool()),
        // libwayland-client and the XCB libraries are not linked: a machine without a desktop has none of them.
        .target(name: "CLateBinding"),
        .target(
            name: "CWayland", dependencies: ["CLateBinding"], exclude: ["protocol"], plugins: ["WaylandBindings"]),
        .target(name: "CXCB", dependencies: ["CLateBinding"]),
        .target(
            name: "HDRPresenter", dependencies: ["CLateBinding", "CWayland", "CXCB", "HDRColor", "HDRConcurrency"]),
        // A Wayland compositor for tests; no product has it.
        .target(
            name: "CMockCompositor", dependencies: ["CWayland"], path: "Tests/Support/CMockCompositor",
            linkerSettings: [.linkedLibrary("wayland-server")]),

        .target(name: "HDRTap", dependencies: ["CGStreamer", "CHDRTap", "HDRConcurrency"]),
        .target(name: "HDRPipeline", dependencies: ["CGStreamer", "CHDRTap", "HDRConcurrency", "HDRMetadata"]),
        .target(name: "ExampleSupport", dependencies: ["HDRPipeline"], path: "Sources/Examples/Support"),
        .executableTarget(
            name: "LoupeExample", dependencies: ["ExampleSupport", "HDRPipeline"],
            path: "Sources/Examples/LoupeExample"),
        .executableTarget(
            name: "HDRTapExample", dependencies: ["CGStreamer", "HDRTap"], path: "Sources/Examples/HDRTapExample"),
        .executableTarget(
            name: "EDRFramesExample", dependencies: ["ExampleSupport", "HDRPipeline", "HDRTap"],
            path: "Sources/Examples/EDRFramesExample"),
        .executableTarget(
            name: "TextureAtlasExample", dependencies: ["ExampleSupport", "HDRPipeline", "HDRTap"],
            path: "Sources/Examples/TextureAtlasExample"),
        .executableTarget(
            name: "hdr",
            dependencies: [
                "CGStreamer", "CGstFormat", "CHDRTap", "GstBridge", "HDRBitstream", "HDRColor", "HDRConcurrency",
                "HDRContainer", "HDRExport", "HDRInspection", "HDRJSON", "HDRKernels", "HDRMetadata", "HDRPipeline",
                "HDRSpectrogram", "HDRStills",
            ],
            linkerSettings: linkedForUse()),

        .target(name: "CTestSupport", path: "Tests/Support/CTestSupport"),
        .target(name: "TestSupport", dependencies: ["CTestSupport"], path: "Tests/Support/TestSupport"),
        .target(
            name: "PluginSupport", dependencies: ["CMockCompositor", "TestSupport"], path: "Tests/Support/PluginSupport"
        ),
        .testTarget(name: "HDRColorTests", dependencies: ["HDRColor", "TestSupport"]),
        .target(
            name: "MetadataTestSupport", dependencies: ["HDRMetadata"], path: "Tests/MetadataTestSupport"),
        lightTests(
            "HDRMetadataTests",
            ["HDRExport", "HDRMetadata", "MetadataTestSupport", "TestSupport"]),
        lightTests(
            "HDRBitstreamTests",
            ["HDRBitstream", "HDRColor", "HDRMetadata", "MetadataTestSupport", "TestSupport"]),
        lightTests(
            "HDRContainerTests",
            [
                "HDRBitstream", "HDRContainer", "HDRExport", "HDRInspection", "HDRMetadata", "MetadataTestSupport",
                "TestSupport",
            ]),
        lightTests(
            "HDRExportTests",
            ["HDRExport", "HDRMetadata", "MetadataTestSupport", "TestSupport"]),
        lightTests(
            "HDRInspectionTests",
            ["HDRBitstream", "HDRContainer", "HDRInspection", "HDRMetadata", "MetadataTestSupport"]),
        lightTests(
            "HDRJSONTests",
            ["HDRBitstream", "HDRContainer", "HDRJSON", "HDRMetadata", "MetadataTestSupport", "TestSupport"]),
        lightTests("HDRStillsTests", ["CZlib", "HDRMetadata", "HDRStills", "TestSupport"]),
        .testTarget(name: "HDRSpectrogramTests", dependencies: ["HDRSpectrogram", "TestSupport"]),
        .testTarget(name: "HDRConcurrencyTests", dependencies: ["HDRConcurrency"]),
        .testTarget(name: "HDRAudioTests", dependencies: ["HDRAudio", "TestSupport"]),
        .testTarget(
            name: "HDRKernelsTests", dependencies: ["HDRKernels", "HDRColor", "CKernels", "TestSupport"],
            exclude: ["Programs"]),
        .testTarget(
            name: "HDREffectsTests", dependencies: ["HDREffects", "HDRColor", "HDRKernels", "CKernels", "TestSupport"],
            exclude: ["Reference"]),
        .testTarget(
            name: "HDRCompositionTests", dependencies: ["HDRComposition", "HDRColor", "HDRKernels", "TestSupport"]),
        .testTarget(
            name: "GstHDRTests",
            dependencies: [
                "GstHDR", "CGstFormat", "CGstHDR", "CHDRTap", "CGStreamer", "CGstCheck", "GstBridge", "HDRAudio",
                "HDRTap", "HDRBitstream", "HDRColor", "HDRExport", "HDRKernels", "HDRMetadata", "TestSupport",
            ]),
        lightTests(
            "GstHDRX265Tests",
            [
                "CGStreamer", "CGstCheck", "CGstHDRX265", "CHDRTap", "GstBridge", "GstHDRX265", "HDRMetadata",
                "TestSupport",
            ]),
        lightTests("CHDRLibraryTests", ["CGStreamer", "CGstCheck", "CHDRLibrary", "TestSupport"]),
        lightTests("HDRPipelineTests", ["HDRPipeline", "TestSupport"]),
        .testTarget(name: "HDRTapTests", dependencies: ["HDRTap", "CGStreamer", "CHDRTap", "TestSupport"]),
        // For what the tests do as an application or as another program on the display.
        lightTests(
            "HDRPresenterTests",
            ["HDRPresenter", "HDRConcurrency", "CMockCompositor", "CWayland", "CXCB", "TestSupport"],
            linkerSettings: [
                .linkedLibrary("wayland-client"), .linkedLibrary("xcb"), .linkedLibrary("xcb-randr"),
            ]),
        // The release plugin, the commands and the scripts from outside.
        lightTests(
            "ElementTests", ["HDRBitstream", "HDRColor", "PluginSupport", "TestSupport"], path: "Tests/Elements",
            exclude: ["Programs"]),
        lightTests(
            "ToolTests", ["CMockCompositor", "HDRColor", "HDRPipeline", "HDRTap", "PluginSupport", "TestSupport"],
            path: "Tests/Tools", exclude: ["Programs"]),
        // Optimised, as it reads listings of all the plugin's machine code.
        .testTarget(name: "BinaryTests", dependencies: ["PluginSupport", "TestSupport"], path: "Tests/Binary"),
        lightTests(
            "PeerTests", ["PluginSupport", "TestSupport"], path: "Tests/Peers",
            exclude: ["Programs"]),
    ] + kernelTargets
)

// What is built for use needs no tests, examples and libraries for applications.
if isForUse {
    package.products.removeAll { !["gsthdr", "gsthdrx265", "hdr"].contains($0.name) }
    package.targets.removeAll { target in
        let isForOthers = ["Sources/Examples", "Tests"].contains { target.path?.hasPrefix($0) == true }
        return target.type == .test || ["CGstCheck", "CHDRLibrary", "HDRTap"].contains(target.name) || isForOthers
    }
}

// libx265 is not everywhere, and its licence is not everybody's.
if Context.environment["GST_HDR_X265"] == "no" {
    package.products.removeAll { $0.name == "gsthdrx265" }
    package.targets.removeAll { ["CX265", "GstHDRX265", "CGstHDRX265", "GstHDRX265Tests"].contains($0.name) }
}

// `GST_HDR_TESTS` names targets, or `all` for all tests: those alone are built, with what they need, so that no build
// compiles what it does not run. `TARGET/FOLDER` is a folder of a target's tests with its folder `Support`.
if let wanted = Context.environment["GST_HDR_TESTS"]?.split(separator: " ").map(String.init) {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    func need(_ target: Target) {
        guard needed.insert(target.name).inserted else { return }
        for case .targetItem(let name, _) in target.dependencies { targets[name].map(need) }
        for case .byNameItem(let name, _) in target.dependencies { targets[name].map(need) }
        for case .plugin(let name, _) in target.plugins ?? [] { targets[name].map(need) }
    }
    for target in package.targets where target.type == .test && wanted.contains("all") { need(target) }
    for name in wanted {
        let parts = name.split(separator: "/").map(String.init)
        guard let target = parts.first.flatMap({ targets[$0] }) else { continue }
        need(target)
        if parts.count == 2 { target.sources = [parts[1], "Support"] }
    }
    // Tests see the internals of the modules that have some of their own, in a release build too. Kernels with
    // -enable-testing would take twice as long to compile, because each of their specialisations would be exported.
    for test in package.targets where test.type == .test {
        guard let target = targets[String(test.name.dropLast("Tests".count))] else { continue }
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-enable-testing"])]
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

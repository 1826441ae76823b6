// swift-tools-version: 6.1
import PackageDescription

// One plugin file holds every element. The release plugin is built by meson-wrap/build-plugin, which links the static
// Swift standard library; a plain `swift build` gives a developer build that needs the toolchain's runtime.
let package = Package(
    name: "gst-hdr",
    products: [
        .library(name: "HDRTap", targets: ["HDRTap"]),
        .library(name: "gsthdr", type: .dynamic, targets: ["GstHDR"]),
        .executable(name: "hdrbench", targets: ["hdrbench"]),
    ],
    targets: [
        .systemLibrary(
            name: "CGStreamer",
            pkgConfig: "gstreamer-video-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(
            name: "CGstCheck",
            pkgConfig: "gstreamer-check-1.0",
            providers: [.apt(["libgstreamer1.0-dev"])]),
        .target(name: "CVector"),
        .target(name: "CHDRTap", dependencies: ["CGStreamer"]),
        .target(name: "CGstHDR", dependencies: ["CGStreamer", "CHDRTap"]),
        .target(name: "HDRColor"),
        .target(name: "HDRMetadata"),
        .target(name: "HDRAudio"),
        .target(name: "HDRKernels", dependencies: ["HDRColor", "CVector"]),
        .target(name: "GstBridge", dependencies: ["CGStreamer", "CGstHDR", "HDRKernels", "HDRMetadata"]),
        .target(
            name: "GstHDR",
            dependencies: [
                "CGStreamer", "CGstHDR", "CHDRTap", "GstBridge", "HDRAudio", "HDRColor", "HDRKernels", "HDRMetadata",
            ]),

        .target(name: "HDRTap", dependencies: ["CGStreamer", "CHDRTap"]),
        .executableTarget(
            name: "HDRTapExample", dependencies: ["CGStreamer", "HDRTap"], path: "Sources/Examples/HDRTapExample"),
        .executableTarget(name: "hdrbench", dependencies: ["CGStreamer", "CHDRTap"]),

        .testTarget(name: "HDRColorTests", dependencies: ["HDRColor"]),
        .testTarget(name: "HDRMetadataTests", dependencies: ["HDRMetadata"]),
        .testTarget(name: "HDRAudioTests", dependencies: ["HDRAudio"]),
        .testTarget(name: "HDRKernelsTests", dependencies: ["HDRKernels", "HDRColor"]),
        .testTarget(
            name: "GstHDRTests",
            dependencies: [
                "GstHDR", "CGstHDR", "CHDRTap", "CGStreamer", "CGstCheck", "HDRAudio", "HDRColor", "HDRKernels",
            ]),
        .testTarget(name: "HDRTapTests", dependencies: ["HDRTap", "CGStreamer", "CHDRTap"]),
        .testTarget(name: "PluginTests", dependencies: ["HDRColor"], exclude: ["Programs"]),
    ]
)

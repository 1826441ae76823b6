// swift-tools-version: 6.1
import PackageDescription

// In this place the package depends on the clone around it. An application elsewhere has the address in place of the
// path:
//
//     .package(url: "https://example.org/gst-hdr.git", from: "0.1.0")
let package = Package(
    name: "BandpassApp",
    dependencies: [.package(name: "gst-hdr", path: "../../..")],
    targets: [
        .executableTarget(
            name: "BandpassApp",
            dependencies: [
                .product(name: "HDRPipeline", package: "gst-hdr"), .product(name: "HDRTap", package: "gst-hdr"),
            ])
    ]
)

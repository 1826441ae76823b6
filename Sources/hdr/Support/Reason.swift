import HDRExport
import HDRPipeline

/// Why something failed, in the line that standard error and JSON alike get.
enum Reason {
    static func text(_ error: any Error) -> String {
        switch error {
        case is Interruption: "interrupted"
        case let error as PipelineError: error.missing.map(missing) ?? "\(error)"
        default: "\(error)"
        }
    }

    /// The missing element and how to install it, as text.
    private static func missing(_ element: String) -> String {
        let plugin = element == EncoderOptions.own ? EncoderOptions.ownPlugin : "libgsthdr.so"
        let remedy =
            element.hasPrefix("hdr") || element == "edrsink"
            ? "GST_PLUGIN_PATH has to name the folder of \(plugin), which meson-wrap/build-plugin builds"
            : "apt-get install \(DebianPackage.of(element: element))"
        return "GStreamer finds no \(element): \(remedy)"
    }
}

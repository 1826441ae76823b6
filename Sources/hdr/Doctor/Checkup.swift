import CGStreamer
import CHDRTap
import Glibc
import GstBridge
import HDRExport
import HDRKernels

/// One thing that is there, or not.
struct Check {
    enum State: String {
        case good, missing
        /// Not installed, and not needed.
        case absent
    }
    let area: String
    let name: String
    let state: State
    let detail: String
    /// The command that mends it.
    var install: String?

    var json: JSON {
        .object([
            ("area", .string(area)), ("name", .string(name)), ("state", .string(state.rawValue)),
            ("detail", .string(detail)), ("install", .text(install)),
        ])
    }
}

/// The checks of `hdr doctor`.
enum Checkup {
    static func all() -> [Check] {
        gst_init(nil, nil)
        return [gstreamer, plugin, encoderPlugin, kernels] + jobs.map(check) + hardware
            + DisplaySystem.allCases.map(display)
    }

    /// The versions of the system and libraries, in a line.
    static var versions: String {
        gst_init(nil, nil)
        return "GStreamer \(gstreamer.detail); plugin \(plugin.detail)"
    }

    // MARK: This project's own

    private static var gstreamer: Check {
        let (major, minor, micro) = GStreamerVersion.numbers
        let isNewEnough = GStreamerVersion.isAtLeast(1, 22)
        return Check(
            area: "base", name: "GStreamer", state: isNewEnough ? .good : .missing,
            detail: "\(major).\(minor).\(micro)" + (isNewEnough ? "" : ", and 1.22 is needed"))
    }

    private static var plugin: Check {
        found("hdr", as: "plugin")
            ?? Check(
                area: "base", name: "plugin", state: .missing,
                detail: "GStreamer finds no libgsthdr.so in its folders or in GST_PLUGIN_PATH",
                install: "\(building), or the package gstreamer1.0-hdr")
    }

    /// Checks the encoder's plugin, the only one that links libx265; GStreamer does not load it where that is missing.
    private static var encoderPlugin: Check {
        let name = "x265 plugin"
        if let check = found("hdrx265", as: name) { return check }
        let other = isThere("x265enc") ? "; x265enc is there, with which exports keep dynamic metadata too" : ""
        return Check(
            area: "base", name: name, state: .absent,
            detail:
                "no \(EncoderOptions.own): GStreamer finds no \(EncoderOptions.ownPlugin), or not the libx265 that it "
                + "links\(other)", install: "\(building), or the package gstreamer1.0-hdr-x265")
    }

    private static let building = "meson-wrap/build-plugin && export GST_PLUGIN_PATH=$PWD/build/plugins"

    /// A plugin of this project's; `nil` where GStreamer has none of that name.
    private static func found(_ name: String, as row: String) -> Check? {
        guard let found = gst_registry_find_plugin(gst_registry_get(), name) else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(found)) }
        let file = gst_plugin_get_filename(found).map { String(cString: $0) } ?? ""
        let version = gst_plugin_get_version(found).map { String(cString: $0) } ?? ""
        let isSame = version == GST_HDR_VERSION
        return Check(
            area: "base", name: row, state: isSame ? .good : .missing,
            detail: "\(file), version \(version)" + (isSame ? "" : ", and this command is \(GST_HDR_VERSION)"),
            install: isSame ? nil : "meson-wrap/build-plugin")
    }

    private static var kernels: Check {
        let supported = InstructionSet.supported.map { $0.names[0] }.joined(separator: ", ")
        let forced = getenv("GST_HDR_CPU").map { "; GST_HDR_CPU is \(String(cString: $0))" } ?? ""
        return Check(area: "base", name: "kernels", state: .good, detail: supported + forced)
    }

    // MARK: GStreamer's elements

    /// The jobs, each with elements that can do it, the usual one first. Files are decoded in software, since hardware
    /// decoders differ in what they support and how they round.
    private static let jobs: [(area: String, name: String, elements: [String])] = [
        ("read", "what a file holds", ["parsebin"]), ("read", "MP4, MOV", ["qtdemux"]),
        ("read", "Matroska, WebM", ["matroskademux"]), ("read", "MPEG-TS", ["tsdemux"]),
        ("decode", "HEVC", ["avdec_h265"]), ("decode", "H.264", ["avdec_h264", "openh264dec"]),
        ("decode", "AV1", ["av1dec", "dav1ddec"]), ("decode", "VP9", ["vp9dec", "avdec_vp9"]),
        ("decode", "ProRes", ["avdec_prores"]), ("decode", "AAC", ["avdec_aac", "fdkaacdec", "faad"]),
        ("encode", "HEVC", ["hdrx265enc", "x265enc"]), ("encode", "H.264", ["x264enc"]),
        ("encode", "ProRes", ["avenc_prores_ks"]),
        ("encode", "AAC", ["avenc_aac"]), ("encode", "PNG", ["pngenc"]),
        ("encode", "letters in pictures", ["textoverlay"]), ("write", "MOV", ["qtmux"]),
        ("write", "MP4", ["mp4mux"]), ("write", "Matroska", ["matroskamux"]),
        ("write", "MPEG-TS", ["mpegtsmux"]),
    ]

    private static func isThere(_ element: String) -> Bool {
        guard let factory = gst_element_factory_find(element) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }

    private static func check(_ job: (area: String, name: String, elements: [String])) -> Check {
        if let found = job.elements.first(where: isThere) {
            return Check(area: job.area, name: job.name, state: .good, detail: found)
        }
        // This project's encoder is in no package of Debian's.
        let packaged = job.elements.first { $0 != EncoderOptions.own } ?? job.elements[0]
        let package = DebianPackage.of(element: packaged)
        return Check(
            area: job.area, name: job.name, state: .missing, detail: "no \(job.elements.joined(separator: ", "))",
            install: "apt-get install \(package)")
    }

    /// Encoders of devices that this machine has; GStreamer lists them only where there is one.
    private static var hardware: [Check] {
        [("NVENC", "nvh265enc"), ("VA-API", "vah265enc"), ("Quick Sync", "qsvh265enc")].map { name, element in
            let isThere = isThere(element)
            return Check(
                area: "device", name: name, state: isThere ? .good : .absent,
                detail: isThere ? element : "no device or no plugin; software encodes")
        }
    }

    // MARK: Displays

    private static func display(_ system: DisplaySystem) -> Check {
        guard isThere("edrsink") else {
            return Check(area: "display", name: system.rawValue, state: .absent, detail: "the plugin is missing")
        }
        let report = DisplayReport(system)
        guard let offer = report.offer else {
            return Check(
                area: "display", name: system.rawValue, state: .absent,
                detail: report.reasons.first ?? "no reason is given")
        }
        let range = offer.isEligible ? "HDR" : system == .offscreen ? "in memory" : "SDR"
        return Check(
            area: "display", name: system.rawValue, state: .good,
            detail: "\(range), headroom \(offer.headroom.fixed(2)); hdr displays says more")
    }
}

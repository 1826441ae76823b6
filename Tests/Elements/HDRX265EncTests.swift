import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdrx265enc` beside the program `x265`: with the same options, and without the message that tells options, the same
/// bytes.
@Suite struct HDRX265EncTests {
    static let hasProgram = ConditionTrait.enabled(if: X265Clip.hasProgram, "the program x265 is not installed")
    static let pq = "--range limited --colorprim bt2020 --transfer smpte2084 --colormatrix bt2020nc"
    static let hlg = "--range limited --colorprim bt2020 --transfer arib-std-b67 --colormatrix bt2020nc"
    static let bt709 = "--range limited --colorprim bt709 --transfer bt709 --colormatrix bt709"
    static let mastering =
        ",mastering-display-info=(string)34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"

    /// Properties of the element, and options of the program.
    static let settings: [(String, String)] = [
        ("tune=none bitrate=500 option-string=info=0", "--bitrate 500"),
        ("bitrate=500 speed-preset=fast option-string=info=0", "--bitrate 500 --preset fast --tune ssim"),
        ("tune=none qp=30 option-string=no-info", "--qp 30"),
        ("tune=none option-string=info=0:qp=31", "--qp 31"),
        ("tune=none option-string=info=0:lossless=1", "--lossless"),
        ("tune=none qp=30 option-string=info=0:max-cll=1000,400", "--qp 30 --max-cll 1000,400"),
        ("tune=none option-string=info=0:crf=24:aud=1:repeat-headers=1", "--crf 24 --aud --repeat-headers"),
        (
            "tune=none speed-preset=faster key-int-max=10 "
                + "option-string=info=0:crf=24:vbv-maxrate=800:vbv-bufsize=900:hrd=1",
            "--preset faster --keyint 10 --crf 24 --vbv-maxrate 800 --vbv-bufsize 900 --hrd"
        ),
        (
            "tune=zerolatency speed-preset=ultrafast option-string=info=0:deblock=-1:-1:no-sao",
            "--preset ultrafast --tune zerolatency --bitrate 2048 --deblock -1:-1 --no-sao"
        ),
        ("tune=none option-string=info=0:zones=0,5,q=10", "--bitrate 2048 --zones 0,5,q=10"),
        (
            "tune=none option-string=info=0:crf=30:zones=0,9,b=2.5/20,30,q=40",
            "--crf 30 --zones 0,9,b=2.5/20,30,q=40"
        ),
        (
            "tune=none preferred-transfer=arib-std-b67 bitrate=300 option-string=info=0",
            "--atc-sei 18 --bitrate 300"
        ),
    ]

    @Test(hasProgram, arguments: settings.indices)
    func sameBytesAsTheProgram(index: Int) throws {
        let folder = try TemporaryFolder()
        let clip = X265Clip()
        try clip.make(in: folder)
        let element = try clip.encode(Self.settings[index].0, in: folder)
        let program = try clip.encodeByProgram("\(Self.settings[index].1) \(Self.pq) --no-info", in: folder)
        #expect(element.count > 500)
        #expect(element == program, "\(element.count) and \(program.count) bytes")
    }

    /// A raw format, what the Y4M file calls it, the caps' fields, bits, and what says the same to the program.
    struct Signal: CustomTestStringConvertible, Sendable {
        var format: String
        var samples: String
        var depth: Int
        var fields: String
        var options: String
        var testDescription: String { format + fields }

        init(_ format: String, _ samples: String, _ depth: Int, _ fields: String, _ options: String) {
            self.format = format
            self.samples = samples
            self.depth = depth
            self.fields = "," + fields
            self.options = options
        }
    }

    static let display = "--master-display 'G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)'"
    static let signals = [
        Signal("I420", "420mpeg2", 8, "colorimetry=bt709", bt709),
        Signal(
            "I420", "420mpeg2", 8, "colorimetry=1:4:7:1",
            "--range full --colorprim bt709 --transfer iec61966-2-1 --colormatrix smpte170m"),
        Signal(
            "I420", "420mpeg2", 8, "colorimetry=bt601",
            "--range limited --colorprim smpte170m --transfer smpte170m --colormatrix smpte170m"),
        Signal("I420_10LE", "420p10", 10, "colorimetry=bt2100-hlg", hlg),
        Signal(
            "I420_10LE", "420p10", 10, "colorimetry=bt2020-10,chroma-site=cosited",
            "--range limited --colorprim bt2020 --transfer bt2020-10 --colormatrix bt2020nc --chromaloc 2"),
        Signal("I420_10LE", "420p10", 10, "colorimetry=bt2100-pq\(mastering)", "\(pq) \(display) --no-cll"),
        Signal(
            "I420_10LE", "420p10", 10, "colorimetry=bt2100-pq\(mastering),content-light-level=(string)1000:400",
            "\(pq) \(display) --max-cll 1000,400"),
        Signal("I420_12LE", "420p12", 12, "colorimetry=bt2100-pq", pq),
        Signal("Y42B", "422", 8, "colorimetry=bt709", bt709),
        Signal("I422_10LE", "422p10", 10, "colorimetry=bt2100-pq", pq),
        Signal("I422_12LE", "422p12", 12, "colorimetry=bt2100-pq", pq),
        Signal("Y444", "444", 8, "colorimetry=bt709", bt709),
        Signal("Y444_10LE", "444p10", 10, "colorimetry=bt2100-pq", pq),
        Signal("Y444_12LE", "444p12", 12, "colorimetry=bt2100-pq", pq),
        Signal(
            "GBR_10LE", "444p10", 10, "colorimetry=sRGB",
            "--range full --colorprim bt709 --transfer iec61966-2-1 --colormatrix gbr"),
    ]

    @Test(hasProgram, arguments: signals)
    func signalsAreDeclaredAsTheProgramDoes(_ signal: Signal) throws {
        let folder = try TemporaryFolder()
        let clip = X265Clip(
            format: signal.format, samples: signal.samples, depth: signal.depth, frames: 8, fields: signal.fields)
        try clip.make(in: folder)
        let element = try clip.encode("tune=none speed-preset=superfast qp=30 option-string=info=0", in: folder)
        let program = try clip.encodeByProgram("--preset superfast --qp 30 --no-info \(signal.options)", in: folder)
        #expect(element == program, "\(element.count) and \(program.count) bytes")
    }

    /// Formats whose chroma is separated by the element, and the planar ones of the same samples.
    static let layouts = [
        ("NV12", "I420"), ("NV21", "I420"), ("YV12", "I420"), ("P010_10LE", "I420_10LE"), ("P012_LE", "I420_12LE"),
        ("NV16", "Y42B"), ("NV61", "Y42B"), ("NV24", "Y444"),
    ]

    @Test(arguments: layouts, [(256, 144), (130, 66)])
    func otherLayoutsGiveTheSameBytes(_ formats: (String, String), _ extent: (Int, Int)) throws {
        let folder = try TemporaryFolder()
        let clip = X265Clip(
            format: formats.1, width: extent.0, height: extent.1, frames: 6, fields: ",colorimetry=bt709")
        try clip.make(in: folder)
        let size = try folder.data("clip.yuv").count / 6
        let line = """
            filesrc location=\(folder.path("clip.yuv")) blocksize=\(size) ! \(clip.caps) !
            videoconvert dither=none ! video/x-raw,format=\(formats.0) ! filesink location=\(folder.path("other.yuv"))
            """
        expectClean(try GstTool.launch(line))
        let properties = "tune=none speed-preset=superfast qp=24"
        let planar = try clip.encode(properties, in: folder)
        let other = try clip.encode(properties, in: folder, as: "other.h265", from: "other.yuv", format: formats.0)
        #expect(planar.count > 500 && planar == other)
    }

    /// Encoders of libx265 share tables of the process, with those of `x265enc` too.
    @Test func encodersBesideEachOtherDoNotDisturb() throws {
        let folder = try TemporaryFolder()
        func branch(_ format: String, _ encoder: String, _ name: String) -> String {
            """
            videotestsrc num-buffers=40 ! video/x-raw,format=\(format),width=320,height=240 ! \(encoder) !
            filesink location=\(folder.path(name))
            """
        }
        let encoders = [
            ("I420", "hdrx265enc speed-preset=ultrafast"), ("I420", "x265enc speed-preset=fast"),
            ("I420_10LE", "hdrx265enc speed-preset=slow option-string=ctu=16"),
        ]
        for (index, (format, encoder)) in encoders.enumerated() {
            expectClean(try GstTool.launch(branch(format, encoder, "alone\(index)")))
        }
        let together = encoders.enumerated().map { branch($1.0, $1.1, "together\($0)") }.joined(separator: " ")
        expectClean(try GstTool.launch(together))
        for index in encoders.indices {
            #expect(try folder.data("alone\(index)") == folder.data("together\(index)"), "\(encoders[index])")
        }
    }
}

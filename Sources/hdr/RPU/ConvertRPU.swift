import HDRBitstream
import HDRMetadata
import HDRPipeline

/// `hdr rpu convert`: RPUs of another profile.
enum ConvertRPU: Verb {
    private static let profiles = ["8.1", "8.4", "7-mel"]

    static let name = "convert"
    static let words = "INPUT... --to PROFILE [-o OUTPUT]"
    static let summary = "RPUs of another profile, in a file or in a copy of a video; pictures are not converted"
    static let options =
        [
            Option.value(
                "--to", "PROFILE",
                help: """
                    target profile: 8.1 (HDR10 base layer; from 5, 7 and 8; the enhancement layer is removed),
                    8.4 (HLG base layer) or 7-mel (with a minimal enhancement layer)
                    """, choices: profiles),
            .flag("--keep-mapping", help: "keep the reshaping curves that --to 8.1 would remove"),
            .flag("--remove-mapping", help: "remove the reshaping curves"),
            .flag("--crop", help: "set the active area (level 5) to the whole picture, for a video without bars"),
            .fileType,
        ] + RPUCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        guard let profile = try options.choice("--to", of: profiles) else {
            throw UsageError("say what to convert to: --to \(profiles.joined(separator: ", --to "))")
        }
        let (keeps, removes) = (options.has("--keep-mapping"), options.has("--remove-mapping"))
        guard !(keeps && removes) else { throw UsageError("--keep-mapping and --remove-mapping exclude each other") }
        guard !keeps || profile == "8.1" else { throw UsageError("--keep-mapping goes with --to 8.1") }
        let crops = options.has("--crop")
        return try await RPUConversion.run(
            options, verb: "convert", deed: "converted", suffix: "-" + profile.replacing(".", with: "")
        ) { list, input, areCopied in
            if areCopied, let transfer = list.transfer {
                let base = DolbyVisionCompatibility.identifier(transfer: transfer)
                guard profile == "8.4" ? base == 4 : base != 4 else {
                    throw Failure(
                        "\(input.shown) is \(base == 4 ? "HLG" : "not HLG"): RPUs of \(profile) would show it wrong; "
                            + "convert its pictures first")
                }
            }
            return try RPUConversion.each(list, of: input) { (rpu, _) throws(BitstreamError) in
                switch profile {
                case "8.4": rpu.convertToProfile84()
                case "7-mel":
                    guard [7, 8].contains(rpu.signaledProfile) else {
                        throw BitstreamError("only RPUs of profiles 7 and 8 become 7-mel")
                    }
                    guard rpu.signaledProfile == 7 || !areCopied else {
                        throw BitstreamError("the video has no enhancement layer: name an output that ends in .bin")
                    }
                    rpu.convertToMinimalLayer()
                default:
                    guard [5, 7, 8].contains(rpu.signaledProfile) else {
                        throw BitstreamError("only RPUs of profiles 5, 7 and 8 become 8.1")
                    }
                    guard rpu.signaledProfile != 5 || !areCopied else {
                        throw BitstreamError(
                            "the pictures of profile 5 are not those of 8.1: name an output that ends in .bin, and "
                                + "convert the pictures")
                    }
                    rpu.convertToProfile81(keepsMapping: keeps ? true : nil)
                }
                if removes { rpu.removeMapping() }
                if crops { rpu.displayManagement?.level5 = .init() }
            }
        }
    }
}

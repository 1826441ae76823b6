/// `hdr hdr10plus`: HDR10+ metadata of each picture, in the JSON of hdr10plus_tool.
enum HDR10PlusCommand: CommandOfVerbs {
    static let name = "hdr10plus"
    static let summary = "extracts, injects, edits and removes HDR10+ metadata, in hdr10plus_tool's JSON"

    static var verbs: [any Verb.Type] {
        [
            ExtractHDR10Plus.self, InjectHDR10Plus.self, RemoveHDR10Plus.self, EditHDR10Plus.self, InfoHDR10Plus.self,
            PlotHDR10Plus.self,
        ]
    }

    /// Options of the verbs that write.
    static let writers: [Option] = [.output] + Option.ofWriters

    static let help = CommandHelp(
        usage: usage,
        about: """
            Works on HDR10+ metadata (SMPTE ST 2094-40), which describe the light of each picture and a tone curve for
            it. VIDEO is a MOV, MP4, Matroska or MPEG-TS file or a bare stream, of HEVC or AV1; nothing is decoded or
            encoded. META.json is a document as hdr10plus_tool has it, with an entry for each picture in the order of
            presentation. INPUT is either of them.

            \(table)
            """,
        groups: groups(all: [.output, .fileType] + Option.ofWriters),
        notes: """
            Examples:
              hdr hdr10plus extract film.mkv -o META.json
              hdr hdr10plus inject encoded.mp4 --metadata META.json -o film.mp4
              hdr hdr10plus edit META.json --edits EDITS.json -o cut.json
              hdr hdr10plus remove film.mp4 -o hdr10.mp4

            EDITS.json: {"remove": ["0-39", "50"], "duplicate": [{"source": 0, "offset": 10, "length": 5}]}. Pictures
            are counted from 0; those of "remove" are removed first.

            JSON of extract, edit and info, an array with an object for each input: input, output, pictures, scenes,
            profile, largest-maxscl-cd-m2, largest-average-cd-m2, targeted-displays-cd-m2, pictures-with-curve. Of
            inject and remove: input, output, pictures, changed.

            Exit status: 0 done; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted. An output is there only when it is whole.
            """)
}

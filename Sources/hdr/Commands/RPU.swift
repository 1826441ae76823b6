/// `hdr rpu`: Dolby Vision metadata of each picture, in the file formats of dovi_tool.
enum RPUCommand: CommandOfVerbs {
    static let name = "rpu"
    static let summary = "extracts, injects, edits, converts and makes Dolby Vision metadata, in dovi_tool's formats"

    static var verbs: [any Verb.Type] {
        [
            ExtractRPU.self, InjectRPU.self, RemoveRPU.self, ConvertRPU.self, EditRPU.self, GenerateRPU.self,
            InfoRPU.self, ExportRPU.self, PlotRPU.self,
        ]
    }

    /// Options of the verbs that write.
    static let writers: [Option] = [.output] + Option.ofWriters

    static let help = CommandHelp(
        usage: usage,
        about: """
            Works on RPUs, the metadata that Dolby Vision has for each picture. VIDEO is a MOV, MP4, Matroska or
            MPEG-TS file or a bare stream, of HEVC or AV1; nothing is decoded or encoded. RPU.bin is a file of RPUs as
            dovi_tool has them, in the order of presentation. INPUT is either of them.

            \(table)
            """,
        groups: groups(all: [.output, .fileType] + Option.ofWriters),
        notes: """
            Examples:
              hdr rpu extract film.mkv -o RPU.bin
              hdr rpu inject encoded.mp4 --rpu RPU.bin -o film.mp4
              hdr rpu remove film.mp4 -o hdr10.mp4
              hdr rpu convert remux.mkv --to 8.1 -o film.mp4
              hdr rpu edit RPU.bin --edits EDITS.json -o cut.bin
              hdr rpu generate CONFIG.json --hdr10plus META.json -o RPU.bin
              hdr rpu info RPU.bin
              hdr rpu info RPU.bin --frame 123

            JSON of info, an array with an object for each input: input, and with --frame the fields of that RPU, else
            rpus, profiles, rpus-of-content-mapping-4.0, scene-cuts, reshaped-rpus, levels (how many RPUs have each),
            source-pq (lists of minimum and maximum), largest-level1-pq (minimum, maximum, average), level2-target-pq,
            level5 (left, right, top, bottom), level6 (peak in cd/m2, black in 0.0001 cd/m2, MaxCLL, MaxFALL),
            level8-displays, level9, level11. Values in PQ are codes of 0 to 4095. extract, inject, convert, edit and
            generate have the same after input and output; inject and remove have pictures and changed, export rpus and
            data, plot pictures and shots.

            Exit status: 0 done; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted. An output is there only when it is whole.
            """)
}

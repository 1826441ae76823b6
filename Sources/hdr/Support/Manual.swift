/// The man page, made of the help of the commands.
enum Manual {
    static var text: String {
        var lines = [
            ".TH HDR 1 \"\" \"hdr \(Program.number)\" \"User Commands\"", ".SH NAME",
            "hdr \\- high dynamic range video: the command of the GStreamer plugin hdr", ".SH SYNOPSIS", ".nf",
        ]
        lines += Program.commands.flatMap { $0.help.usage }.map(escaped)
        lines += [
            ".fi", ".SH DESCRIPTION",
            escaped(
                "Options may stand before, between and after other words, as --option VALUE or --option=VALUE. Those "
                    + "of one letter can be combined, as -qf, and joined with their value, as -oFILE; after -- no word "
                    + "is an option. "
                    + "Exit status 2: the command line is wrong."),
        ]
        for command in Program.commands {
            lines += [".SH \"HDR \(command.name.uppercased())\"", escaped(command.help.about)]
            for group in command.help.groups {
                if !group.title.isEmpty { lines += [".PP", escaped(group.title)] }
                for option in group.options where !option.isHidden {
                    let value = option.value.map { " \($0)" } ?? ""
                    lines += [
                        ".TP", ".B " + escaped(option.names.joined(separator: ", ") + value), escaped(option.help),
                    ]
                }
            }
            lines += [".PP", ".nf", escaped(command.help.notes), ".fi"]
        }
        lines += [
            ".SH ENVIRONMENT", ".TP", ".B GST_PLUGIN_PATH",
            "where the plugin is neither installed nor in ../plugins beside the command: the folder of "
                + "libgsthdr.so", ".TP", ".B NO_COLOR", "tables have no colours", ".SH SEE ALSO",
            "gst\\-launch\\-1.0(1), gst\\-inspect\\-1.0(1)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Text that roff prints as it is.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let plain = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
        }.joined(separator: "\n")
    }
}

/// `hdr completion`: what a shell needs to complete words of `hdr`.
enum CompletionCommand: Command {
    static let name = "completion"
    static let summary = "prints completions of hdr for bash, zsh or fish"
    static let subjects: [String]? = ["bash", "zsh", "fish"]

    static let help = CommandHelp(
        usage: ["hdr completion bash|zsh|fish"],
        about: "Prints a script with which a shell completes the commands, options and file names of hdr.",
        groups: [],
        notes: """
            bash  source <(hdr completion bash), in ~/.bashrc
            zsh   hdr completion zsh > FOLDER/_hdr, where FOLDER is one of $fpath
            fish  hdr completion fish > ~/.config/fish/completions/hdr.fish

            Exit status: 0, 2 where the command line is wrong.
            """)

    static func run(_ options: Options) throws -> CInt {
        guard let shell = options.words.first, options.words.count == 1 else {
            throw UsageError("name one shell: bash, zsh or fish")
        }
        switch shell.text {
        case "bash": Output.write(ShellScripts.bash)
        case "zsh": Output.write(ShellScripts.zsh)
        case "fish": Output.write(ShellScripts.fish)
        default: throw UsageError(no: "shell", called: shell.text, among: subjects ?? [])
        }
        return 0
    }
}

/// `hdr manual`: the man page.
enum ManualCommand: Command {
    static let name = "manual"
    static let summary = "prints the man page of hdr"

    static let help = CommandHelp(
        usage: ["hdr manual"],
        about: "Prints the man page of hdr, which has the help of every command.",
        groups: [],
        notes: """
            hdr manual | man -l -
            hdr manual > /usr/local/share/man/man1/hdr.1

            Exit status: 0, 2 where the command line is wrong.
            """)

    static func run(_ options: Options) throws -> CInt {
        if let word = options.words.first { throw UsageError("it takes no '\(word.text)'") }
        Output.write(Manual.text)
        return 0
    }
}

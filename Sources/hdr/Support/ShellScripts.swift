/// Scripts for shells, made of the table of commands and their options.
enum ShellScripts {
    private struct Known {
        let name: String
        let summary: String
        let subjects: [String]
        let takesFiles: Bool
        let options: [Option]
    }

    private static var known: [Known] {
        let commands = Program.commands.map { command in
            Known(
                name: command.name, summary: command.summary, subjects: command.subjects ?? [],
                takesFiles: command.takesFiles,
                options: unique(command.help.options.filter { !$0.isHidden } + CommandHelp.common))
        }
        let help = Known(
            name: "help", summary: "what a command and its options do", subjects: Program.commands.map { $0.name },
            takesFiles: false, options: [])
        return commands + [help]
    }

    /// Groups of a command may have an option in common.
    private static func unique(_ options: [Option]) -> [Option] {
        var names: Set<String> = []
        return options.filter { names.insert($0.names[0]).inserted }
    }

    static var bash: String {
        let cases = known.map { one in
            """
                \(one.name))
                    options='\(one.options.flatMap(\.names).joined(separator: " "))'
                    subjects='\(one.subjects.joined(separator: " "))'
                    files=\(one.takesFiles ? "yes" : "")
            \(bashValues(one.options))        ;;

            """
        }
        return """
            _hdr() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= subjects= files=
                COMPREPLY=()
                if [ "$COMP_CWORD" -le 1 ]; then
                    subjects='\(known.map(\.name).joined(separator: " "))'
                    options='--help --version'
                else
                    case ${COMP_WORDS[1]} in
            \(cases.joined().indented)        esac
                fi
                case $word in
                -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
                *) mapfile -t COMPREPLY < <(compgen -W "$subjects" -- "$word") ;;
                esac
                if [ -n "$files" ] && [ ${#COMPREPLY[@]} = 0 ]; then
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$word")
                fi
            }
            complete -F _hdr hdr

            """
    }

    /// What may follow options that take a value.
    private static func bashValues(_ options: [Option]) -> String {
        let arms = options.filter { $0.value != nil }.map { option in
            "        \(option.names.joined(separator: "|"))) options= files=\(option.namesFile ? "yes" : "") "
                + "subjects='\(option.choices.joined(separator: " "))' ;;\n"
        }
        return arms.isEmpty ? "" : "        case $before in\n\(arms.joined())        esac\n"
    }

    static var zsh: String {
        func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
        /// Brackets and colons end parts of an argument's description.
        func described(_ text: String) -> String {
            text.replacing("\n", with: " ").replacing("\\", with: "\\\\").replacing("[", with: "\\[")
                .replacing("]", with: "\\]").replacing(":", with: "\\:")
        }
        let cases = known.map { one in
            var arguments = one.options.flatMap { option in
                option.names.map { name in
                    let action =
                        option.namesFile
                        ? "_files" : option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
                    let value = option.value.map { ":\(described($0)):\(action)" } ?? ""
                    let assignment = option.value != nil && name.hasPrefix("--") ? "=" : ""
                    return quoted("\(name)\(assignment)[\(described(option.help))]\(value)")
                }
            }
            let words = one.subjects.joined(separator: " ")
            switch (one.subjects.isEmpty, one.takesFiles) {
            case (false, true): arguments += [quoted("1:what:(\(words))"), "'*:file:_files'"]
            case (false, false): arguments.append(quoted("*:what:(\(words))"))
            case (true, true): arguments.append("'*:file:_files'")
            case (true, false): break
            }
            return "    \(one.name)) _arguments \(arguments.joined(separator: " ")) ;;\n"
        }
        let commands = known.map { "        \(quoted("\($0.name):\($0.summary)"))\n" }.joined()
        return """
            #compdef hdr
            _hdr() {
                local -a commands
                commands=(
            \(commands)    )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
            \(cases.joined())    esac
            }
            if [ "$funcstack[1]" = _hdr ]; then _hdr "$@"; else compdef _hdr hdr; fi

            """
    }

    static var fish: String {
        func quoted(_ text: String) -> String {
            "'" + text.replacing("\n", with: " ").replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
        }
        var lines = ["complete -c hdr -f"]
        for one in known {
            lines.append(
                "complete -c hdr -n __fish_use_subcommand -a \(one.name) -d \(quoted(one.summary))")
            let condition = "complete -c hdr -n '__fish_seen_subcommand_from \(one.name)'"
            for option in one.options {
                let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
                let words = option.choices.isEmpty ? "" : " -a \(quoted(option.choices.joined(separator: " ")))"
                let value = option.value == nil ? "" : option.namesFile ? " -r -F" : " -x" + words
                let help = option.help.isEmpty ? "" : " -d \(quoted(option.help))"
                lines.append("\(condition) \(names.joined(separator: " "))\(value)\(help)")
            }
            if !one.subjects.isEmpty {
                lines.append("\(condition) -a \(quoted(one.subjects.joined(separator: " ")))")
            }
            if one.takesFiles { lines.append("\(condition) -F") }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    /// Each line four columns further to the right.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    \($0)" }
            .joined(separator: "\n")
    }
}

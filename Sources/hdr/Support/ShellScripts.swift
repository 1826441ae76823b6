/// Scripts for shells, made of the table of commands and their options.
enum ShellScripts {
    private struct Known {
        let name: String
        let summary: String
        let subjects: [String]
        let takesFiles: Bool
        let options: [Option]
        /// The options of each verb, for commands with verbs.
        var verbs: [(name: String, options: [Option])] = []
    }

    private static var known: [Known] {
        let commands = Program.commands.map { command in
            Known(
                name: command.name, summary: command.summary, subjects: command.subjects ?? [],
                takesFiles: command.takesFiles, options: offered(command.help.options),
                verbs: (command as? any CommandOfVerbs.Type)?.verbs.map { ($0.name, offered($0.options)) } ?? [])
        }
        let help = Known(
            name: "help", summary: "describes a command and its options", subjects: Program.commands.map { $0.name },
            takesFiles: false, options: [])
        return commands + [help]
    }

    /// The options to offer, without repetitions: groups of a command may share one.
    private static func offered(_ options: [Option]) -> [Option] {
        var names: Set<String> = []
        return (options.filter { !$0.isHidden } + CommandHelp.common).filter { names.insert($0.names[0]).inserted }
    }
}

// MARK: bash

extension ShellScripts {
    static var bash: String {
        """
        _hdr() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} start= one
            local options= subjects= files=
            COMPREPLY=()
            # Bash makes a word of the = before a value, unless COMP_WORDBREAKS has none.
            if [ "$word" = = ]; then
                word=
            elif [ "$before" = = ]; then
                before=${COMP_WORDS[COMP_CWORD-2]}
            elif [[ $word == --*=* ]]; then
                before=${word%%=*} start=${word%%=*}= word=${word#*=}
            fi
            if [ "$COMP_CWORD" -le 1 ]; then
                subjects='\(known.map(\.name).joined(separator: " "))'
                options='--help --version'
            else
                case ${COMP_WORDS[1]} in
        \(known.map { bashCase($0).indented }.joined())        esac
            fi
            case $word in
            -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
            *) mapfile -t COMPREPLY < <(compgen -W "$subjects" -- "$word") ;;
            esac
            if [ -n "$files" ] && [ ${#COMPREPLY[@]} = 0 ]; then
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
            fi
            COMPREPLY=("${COMPREPLY[@]/#/$start}")
        }
        complete -F _hdr hdr

        """
    }

    private static func bashCase(_ one: Known) -> String {
        """
            \(one.name))
                options='\(words(one.options))'
                subjects='\(one.subjects.joined(separator: " "))'
                files=\(one.takesFiles ? "yes" : "")
        \(bashVerbs(one.verbs))\(bashValues(one.options))        ;;

        """
    }

    private static func words(_ options: [Option]) -> String { options.flatMap(\.names).joined(separator: " ") }

    /// After a verb the script offers its options, and no other verb.
    private static func bashVerbs(_ verbs: [(name: String, options: [Option])]) -> String {
        guard !verbs.isEmpty else { return "" }
        let arms = verbs.map { "            \($0.name)) options='\(words($0.options))' subjects=; break ;;\n" }
        return """
                    for one in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
                        case $one in
            \(arms.joined())            esac
                    done

            """
    }

    /// The values to offer after options that take one.
    private static func bashValues(_ options: [Option]) -> String {
        let arms = options.filter { $0.value != nil }.map { option in
            "        \(option.names.joined(separator: "|"))) options= files=\(option.namesFile ? "yes" : "") "
                + "subjects='\(option.choices.joined(separator: " "))' ;;\n"
        }
        return arms.isEmpty ? "" : "        case $before in\n\(arms.joined())        esac\n"
    }
}

// MARK: zsh

extension ShellScripts {
    static var zsh: String {
        let commands = known.map { "        \(zshQuoted("\($0.name):\($0.summary)"))\n" }.joined()
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
            \(known.map(zshCase).joined())    esac
            }
            if [ "$funcstack[1]" = _hdr ]; then _hdr "$@"; else compdef _hdr hdr; fi

            """
    }

    private static func zshQuoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// Brackets and colons end parts of an argument's description.
    private static func zshDescribed(_ text: String) -> String {
        text.replacing("\n", with: " ").replacing("\\", with: "\\\\").replacing("[", with: "\\[")
            .replacing("]", with: "\\]").replacing(":", with: "\\:")
    }

    private static func zshCase(_ one: Known) -> String {
        let words = one.subjects.joined(separator: " ")
        var arguments = one.options.flatMap(zshArguments)
        switch (one.subjects.isEmpty, one.takesFiles) {
        case (false, true): arguments += [zshQuoted("1:what:(\(words))"), "'*:file:_files'"]
        case (false, false): arguments.append(zshQuoted("*:what:(\(words))"))
        case (true, true): arguments.append("'*:file:_files'")
        case (true, false): break
        }
        return "    \(one.name))\n\(zshVerbs(one.verbs))        _arguments \(arguments.joined(separator: " ")) ;;\n"
    }

    /// After a verb the script offers its options, and files.
    private static func zshVerbs(_ verbs: [(name: String, options: [Option])]) -> String {
        guard !verbs.isEmpty else { return "" }
        let arms = verbs.map { verb in
            let arguments = verb.options.flatMap(zshArguments) + ["'*:file:_files'"]
            return "            \(verb.name)) shift words; (( CURRENT-- )); "
                + "_arguments \(arguments.joined(separator: " ")); return ;;\n"
        }
        return """
                    if (( CURRENT > 2 )); then
                        case $words[2] in
            \(arms.joined())            esac
                    fi

            """
    }

    private static func zshArguments(_ option: Option) -> [String] {
        let action =
            option.namesFile ? "_files" : option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
        let value = option.value.map { ":\(zshDescribed($0)):\(action)" } ?? ""
        return option.names.map { name in
            let assignment = option.value != nil && name.hasPrefix("--") ? "=" : ""
            return zshQuoted("\(name)\(assignment)[\(zshDescribed(option.help))]\(value)")
        }
    }
}

// MARK: fish

extension ShellScripts {
    static var fish: String {
        """
        function __hdr_has_command
            set -l words (commandline -opc)
            test (count $words) -gt 1; and test $words[2] = $argv[1]
        end
        function __hdr_has_verb
            set -l words (commandline -opc)
            test (count $words) -gt 2; and contains -- $words[3] $argv
        end
        complete -c hdr -f

        """ + known.flatMap(fishLines).joined(separator: "\n") + "\n"
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\n", with: " ").replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    private static func fishLines(_ one: Known) -> [String] {
        var lines = [
            "complete -c hdr -n 'test (count (commandline -opc)) = 1' -a \(one.name) -d \(fishQuoted(one.summary))"
        ]
        /// - Parameter others: verbs after which the word is not offered.
        func add(_ what: String, notBehind others: [String] = []) {
            let verbs = others.isEmpty ? "" : "; and not __hdr_has_verb " + others.joined(separator: " ")
            lines.append("complete -c hdr -n '__hdr_has_command \(one.name)\(verbs)' \(what)")
        }
        for option in one.options {
            let others = one.verbs.filter { !$0.options.contains { $0.names == option.names } }.map(\.name)
            add(fishOption(option), notBehind: others)
        }
        if !one.subjects.isEmpty {
            add("-a \(fishQuoted(one.subjects.joined(separator: " ")))", notBehind: one.verbs.map(\.name))
        }
        if one.takesFiles { add("-F") }
        return lines
    }

    private static func fishOption(_ option: Option) -> String {
        let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
        let words = option.choices.isEmpty ? "" : " -a \(fishQuoted(option.choices.joined(separator: " ")))"
        let value = option.value == nil ? "" : option.namesFile ? " -r -F" : " -x" + words
        let help = option.help.isEmpty ? "" : " -d \(fishQuoted(option.help))"
        return names.joined(separator: " ") + value + help
    }
}

extension String {
    /// Each line four columns further to the right.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    \($0)" }
            .joined(separator: "\n")
    }
}

import Glibc

// Tells what video files say of their dynamic range.

let options = Options(CommandLine.arguments.dropFirst())
let paths = Options.paths(options.positions)
// A closed pipe must not end the program with a signal's status.
signal(SIGPIPE, SIG_IGN)

if let job = options.job {
    Worker(paths, options, isColored: job.isColored).serve(from: job.first)
}
var status: CInt = paths.isEmpty ? 2 : 0
var objects: [String] = []
Supervisor(paths, options, isColored: Style.ofStandardOutput.isColored).run { index, record in
    status = max(status, record.status)
    guard !options.isQuiet else { return }
    if !record.error.isEmpty { Options.say(record.error) }
    if options.isJSON {
        objects.append(record.text)
    } else if !record.text.isEmpty {
        Output.write((index > 0 ? "\n" : "") + record.text)
    }
}
if options.isJSON, !options.isQuiet { Output.write(JSONReport.array(objects)) }
exit(status)

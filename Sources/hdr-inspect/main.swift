import CGStreamer
import Glibc

// Tells what video files say of their dynamic range.

let options = Options(CommandLine.arguments.dropFirst())
let paths = Options.paths(options.positions)
// A closed pipe must not end the program with a signal's status.
signal(SIGPIPE, SIG_IGN)
Quiet.start()

var failure: UnsafeMutablePointer<GError>?
guard gst_init_check(nil, nil, &failure) != 0 else {
    let reason = failure.map { String(cString: $0.pointee.message) } ?? "unknown reason"
    Options.fail("GStreamer does not start: \(reason)")
}

let style = Style.ofStandardOutput
var outcomes: [FileOutcome] = []
for (index, path) in paths.enumerated() {
    let outcome = Inspector(path, options).run()
    outcomes.append(outcome)
    guard !options.isQuiet else { continue }
    if case .failure(let reason) = outcome.result { Options.say("hdr-inspect: \(path.name): \(reason)") }
    if !options.isJSON, case .success(let report) = outcome.result {
        Output.write((index > 0 ? "\n" : "") + TableReport(report, style).text)
    }
}
if options.isJSON, !options.isQuiet { Output.write(JSONReport(outcomes).text) }
exit(outcomes.map(\.status).max() ?? 2)

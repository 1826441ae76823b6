import CGStreamer
import CGstHDR
import Glibc
import Synchronization
import Testing

/// GStreamer with this project's elements and no others: nothing is looked for on disk.
enum GStreamer {
    static let started: Void = {
        for name in ["GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH", "GST_PLUGIN_SYSTEM_PATH_1_0"] {
            setenv(name, "", 1)
        }
        setenv("GST_REGISTRY_DISABLE", "yes", 1)
        gst_init(nil, nil)
        gst_plugin_hdr_register()
        _ = g_log_set_default_handler({ domain, level, message, _ in Complaints.heard(domain, level, message) }, nil)
    }()
}

/// The messages that GLib and GStreamer have logged by g_critical and g_warning.
enum Complaints {
    private static let texts = Mutex<[String]>([])

    static var count: Int { texts.withLock { $0.count } }
    static func since(_ count: Int) -> [String] { texts.withLock { Array($0.dropFirst(count)) } }

    static func heard(_ domain: UnsafePointer<CChar>?, _ level: GLogLevelFlags, _ message: UnsafePointer<CChar>?) {
        let grave = G_LOG_LEVEL_ERROR.rawValue | G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue
        guard level.rawValue & grave != 0 else { return }
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        texts.withLock { $0.append("\(text(domain)): \(text(message))") }
    }
}

/// Fails a test during which GLib or GStreamer have logged a critical or a warning.
struct Quiet: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        GStreamer.started
        let before = Complaints.count
        try await function()
        for text in Complaints.since(before) { Issue.record("complaint of a library: \(text)") }
    }
}

extension Trait where Self == Quiet {
    static var quiet: Quiet { Quiet() }
}

/// Runs bodies at the same time, each on a thread of its own, and returns when all have ended.
func onThreads(_ bodies: [@Sendable () -> Void]) {
    final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let threads = bodies.map { body in
        g_thread_new(
            "test",
            { data in
                if let data { Unmanaged<Work>.fromOpaque(data).takeRetainedValue().body() }
                return nil
            }, Unmanaged.passRetained(Work(body)).toOpaque())
    }
    for thread in threads { g_thread_join(thread) }
}

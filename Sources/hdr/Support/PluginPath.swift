import Glibc
import HDRPipeline

/// Where GStreamer finds the plugin that this program was built with.
enum PluginPath {
    /// Lets GStreamer find `../plugins/libgsthdr.so`, seen from this program, where it is there and nothing else is
    /// said: a program from `build/bin` then works as it is. Called once, before GStreamer starts.
    static func find() {
        guard getenv("GST_PLUGIN_PATH") == nil, getenv("GST_PLUGIN_PATH_1_0") == nil else { return }
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/proc/self/exe", $0.assumingMemoryBound(to: CChar.self), bytes.count) }
                ?? -1
        }
        guard count > 0, count < buffer.count else { return }
        let folder = FileName(bytes: buffer[..<count]).folder.folder.appending(FileName("plugins"))
        guard folder.appending(FileName("libgsthdr.so")).kind == .file else { return }
        _ = folder.withPointer { setenv("GST_PLUGIN_PATH", $0, 1) }
    }
}

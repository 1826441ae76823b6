import Glibc
import HDRPipeline

/// The path on which GStreamer finds the plugin that this program was built with.
enum PluginPath {
    /// Makes GStreamer find `../plugins/libgsthdr.so`, relative to this program, where it exists and no other path is
    /// set, so that a program in `build/bin` works without installation. Called once, before GStreamer starts.
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

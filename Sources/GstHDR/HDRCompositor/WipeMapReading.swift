import CGStreamer
import Glibc
import HDRComposition
import HDRConcurrency

/// The reading of a wipe map's file on a thread of its own.
final class WipeMapReading: @unchecked Sendable {
    private let path: UnsafeMutablePointer<CChar>
    private let result = Monitor<Result<WipePicture, WipeMapFile.Unreadable>?>(nil)

    /// Begins to read a file, or reads it at once where the system has no thread left.
    /// - Returns: `nil` when out of memory.
    init?(_ path: UnsafePointer<CChar>) {
        guard let copy = g_strdup(path) else { return nil }
        self.path = copy
        let thread = WorkerThread(name: "hdr-wipe-map")
        if thread.start({ self.read() }) { thread.detach() } else { read() }
    }

    deinit { g_free(path) }

    func isOf(_ path: UnsafePointer<CChar>) -> Bool { strcmp(self.path, path) == 0 }

    /// Waits for the picture.
    func picture() throws(WipeMapFile.Unreadable) -> WipePicture? { try result.wait { $0 }?.get() }

    private func read() {
        let read: Result<WipePicture, WipeMapFile.Unreadable>
        do throws(WipeMapFile.Unreadable) {
            read = .success(try WipeMapFile.read(path))
        } catch {
            read = .failure(error)
        }
        result.change { $0 = read }
    }
}

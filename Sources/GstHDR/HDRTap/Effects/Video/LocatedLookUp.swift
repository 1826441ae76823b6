import CGStreamer
import Glibc
import GstBridge
import HDREffects

/// A look-up table, and the file that it was read from.
struct LocatedLookUp: VideoEffect {
    private(set) var location = ""
    var lookUp = LookUp()

    /// The largest file that is read, in bytes: a cube of 256 nodes along each axis has about 500 MB.
    private static let largest: Int64 = 1 << 30

    func planned(for context: EffectContext) -> PlannedEffect { lookUp.planned(for: context) }

    /// Reads a file; an empty name removes the table.
    /// - Returns: `nil`, or why the file cannot be read. The table then stays unchanged.
    mutating func load(_ location: String) -> String? {
        guard !location.isEmpty else {
            self.location = ""
            lookUp.set(nil)
            return nil
        }
        guard g_file_test(location, G_FILE_TEST_IS_DIR) == 0 else {
            return "\(location) is a folder: name a .cube file"
        }
        guard g_file_test(location, G_FILE_TEST_EXISTS) != 0 else { return "there is no file \(location)" }
        guard g_file_test(location, G_FILE_TEST_IS_REGULAR) != 0 else {
            return "\(location) is a device or a pipe: name a .cube file"
        }
        var status = stat()
        guard stat(location, &status) == 0, Int64(status.st_size) <= Self.largest else {
            return "\(location) is larger than a table can be"
        }
        var contents: UnsafeMutablePointer<gchar>?
        var length: gsize = 0
        var problem: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&problem) }
        guard g_file_get_contents(location, &contents, &length, &problem) != 0, let contents else {
            return problem.map { String(cString: $0.pointee.message) } ?? "\(location) cannot be read"
        }
        defer { g_free(contents) }
        let bytes = UnsafeRawBufferPointer(start: contents, count: Int(length))
        do throws(CubeFileError) {
            lookUp.set(try ColorLUT(cubeFile: Array(bytes)))
            self.location = location
            return nil
        } catch {
            return "\(location), \(error.description)"
        }
    }
}

import CGStreamer
import CGstHDRX265
import CX265
import Glibc
import GstBridge

/// Checks of multi-pass encoding that libx265 3.5 lacks: it crashes where pictures and statistics do not match.
extension HDRX265Enc {
    /// Reads the statistics of the previous pass; `nil` where the encoder does not use any.
    func passStatistics(_ plan: Plan) throws(X265Parameters.Failure) -> PassStatistics? {
        guard plan.readsPass else { return nil }
        let file = plan.passFile
        var contents: UnsafeMutablePointer<gchar>?
        var length: gsize = 0
        guard g_file_get_contents(file, &contents, &length, nil) != 0, let contents else {
            throw Self.failure(file, "cannot be read. Encode the same pictures with pass=1 first")
        }
        defer { g_free(contents) }
        let statistics: PassStatistics
        do throws(PassStatistics.Defect) {
            statistics = try contents.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
                bytes throws(PassStatistics.Defect) in
                try PassStatistics(UnsafeBufferPointer(start: bytes, count: Int(length)))
            }
        } catch {
            throw Self.failure(file, "cannot be used: \(error.text). Encode the same pictures with pass=1 again")
        }
        try Self.compare(statistics, plan)
        return statistics
    }

    private static func compare(_ statistics: PassStatistics, _ plan: Plan) throws(X265Parameters.Failure) {
        let p = plan.parameters.pointer.pointee
        func require(_ have: String, _ was: String, _ what: String) throws(X265Parameters.Failure) {
            guard have != was else { return }
            throw failure(
                plan.passFile,
                "was made from pictures \(what) \(was), and these have \(have). "
                    + "Encode these with pass=1 first, or set the file that they have left")
        }
        try require(
            "\(plan.width)x\(plan.height)", "\(statistics.size.first)x\(statistics.size.second)", "of the size")
        try require("\(p.fpsNum)/\(p.fpsDenom)", "\(statistics.rate.first)/\(statistics.rate.second)", "at the rate")
        try require("\(p.internalBitDepth)", "\(statistics.depth)", "with a bit depth of")
    }

    /// Checks the `cutree` file, which libx265 reads picture by picture.
    func checkBlocks(
        _ statistics: PassStatistics, of encoder: X265Encoder, _ plan: Plan
    ) throws(X265Parameters.Failure) {
        guard let size = encoder.treeBytes else { return }
        let file = plan.passFile + ".cutree"
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Self.failure(file, "cannot be read. Encode the same pictures with pass=1 and the same settings again")
        }
        defer { close(descriptor) }
        var status = stat()
        let isWhole = fstat(descriptor, &status) == 0 && Int(status.st_size) == size * statistics.referenced.count
        let fits = statistics.referenced.enumerated().allSatisfy { index, type in
            var found: UInt8 = .max
            return pread(descriptor, &found, 1, off_t(index * size)) == 1 && found == type
        }
        guard isWhole, fits else {
            throw Self.failure(
                file,
                "is damaged, or does not belong to \(plan.passFile). Encode the same pictures with pass=1 and the "
                    + "same settings again")
        }
    }

    /// Counts a picture before it is passed to libx265, which reads beyond its statistics where there are more than in
    /// the previous pass.
    func mayTakePicture(_ plan: Plan) -> Bool {
        guard let known = passPictures else { return true }
        picturesTaken += 1
        guard picturesTaken > known else { return true }
        let text =
            "has statistics of \(known) pictures, and one more comes. A later pass takes no more pictures than the "
            + "first: encode the same pictures with pass=1 again, or end the stream after as many"
        error(Self.failure(plan.passFile, text).description)
        return false
    }

    /// Advice at the end of an error message about what may be wrong other than the settings.
    func passAdvice(_ plan: Plan) -> String {
        guard plan.readsPass else { return "" }
        return
            " With pass=2 the settings have to be those of the pass that has left \(plan.passFile), but for the rate."
    }

    private static func failure(_ file: String, _ text: String) -> X265Parameters.Failure {
        X265Parameters.Failure("multipass-cache-file: \(file) \(text).")
    }
}

extension HDRX265Enc.Plan {
    /// Whether the encoder uses the statistics of a previous pass.
    var readsPass: Bool { parameters.pointer.pointee.rc.bStatRead != 0 }
    /// The file with the statistics.
    var passFile: String {
        parameters.pointer.pointee.rc.statFileName.map { String(cString: $0) }
            ?? GST_HDR_X265_ENC_DEFAULT_MULTIPASS_CACHE_FILE
    }
}

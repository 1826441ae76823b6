import CGStreamer
import CGstHDRX265
import CX265
import GstBridge

extension HDRX265Enc {
    /// Posts the statistics of a picture as the element message `hdr-x265-picture`.
    /// - Parameter time: the presentation time, in the segment that the element sends.
    func postPicture(at time: UInt64?, _ output: UnsafeMutablePointer<x265_picture>, size: Int, _ plan: Plan) {
        let data = output.pointee.frameData
        var segment = base.pointee.output_segment
        var fields: [(String, Structure.Value)] = []
        if let time {
            if let running = ClockTime.runningTime(segment, time) { fields.append(("running-time", .uint64(running))) }
            if let stream = ClockTime.known(
                gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, guint64(time)))
            {
                fields.append(("stream-time", .uint64(stream)))
            }
        }
        fields += [
            ("type", .string(Self.typeName(output.pointee.sliceType))), ("qp", .double(data.qp)),
            ("bits", .uint64(UInt64(clamping: size) &* 8)), ("poc", .int(Int(output.pointee.poc))),
        ]
        fields += quality(plan, data.psnrY, data.psnrU, data.psnrV, data.psnr, data.ssim)
        post(Structure.make("hdr-x265-picture", fields))
    }

    private static func typeName(_ type: Int32) -> String {
        switch type {
        case X265_TYPE_IDR: "IDR"
        case X265_TYPE_I: "I"
        case X265_TYPE_P: "P"
        case X265_TYPE_BREF: "BREF"
        default: "B"
        }
    }

    /// PSNR in dB and SSIM, where they are measured, which libx265 only does where it also logs them.
    private func quality(
        _ plan: Plan, _ y: Double, _ u: Double, _ v: Double, _ all: Double, _ ssim: Double
    ) -> [(String, Structure.Value)] {
        let p = plan.parameters.pointer
        var fields: [(String, Structure.Value)] = []
        guard p.pointee.logLevel >= X265_LOG_INFO else { return [] }
        if p.pointee.bEnablePsnr != 0 {
            fields += [
                ("psnr-y", .double(y)), ("psnr-u", .double(u)), ("psnr-v", .double(v)), ("psnr", .double(all)),
            ]
        }
        if p.pointee.bEnableSsim != 0 { fields.append(("ssim", .double(ssim))) }
        return fields
    }

    /// Posts the statistics of the stream since the encoder was opened, as the element message `hdr-x265-statistics`.
    func postSummary(_ plan: Plan, _ encoder: X265Encoder) {
        let s = encoder.statistics
        guard s.encodedPictureCount > 0 else { return }
        // libx265 has sums for single planes, but means for the whole picture.
        let count = Double(s.encodedPictureCount)
        var fields: [(String, Structure.Value)] = [
            ("pictures", .uint64(UInt64(s.encodedPictureCount))), ("bits", .uint64(s.accBits)),
            ("bitrate", .double(s.bitrate)), ("encode-time", .double(s.elapsedEncodeTime)),
        ]
        for (name, type) in [("i", s.statsI), ("p", s.statsP), ("b", s.statsB)] {
            fields.append(("\(name)-pictures", .uint64(UInt64(type.numPics))))
            if type.numPics > 0 { fields.append(("\(name)-qp", .double(type.avgQp))) }
        }
        fields += quality(
            plan, s.globalPsnrY / count, s.globalPsnrU / count, s.globalPsnrV / count, s.globalPsnr, s.globalSsim)
        post(Structure.make("hdr-x265-statistics", fields))
    }
}

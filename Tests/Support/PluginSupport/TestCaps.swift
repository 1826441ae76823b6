/// Caps of small pictures of odd sizes, for launch lines.
package enum TestCaps {
    package static let hdr = "video/x-raw,format=I420_10LE,width=65,height=37,colorimetry=bt2100-pq"

    /// Fields that may follow `hdr`: a mastering display and light levels.
    package static let metadata = """
        mastering-display-info=(string)35400:14600:8500:39850:6550:2300:15635:16450:10000000:1,\
        content-light-level=(string)1000:400
        """

    package static let sdr = "video/x-raw,format=NV12,colorimetry=bt709"
}

import CGStreamer
import HDRKernels

extension FrameView {
    /// The planes of a frame that the base class has mapped, for the length of the call.
    public init?(_ frame: UnsafeMutablePointer<GstVideoFrame>) {
        let f = frame.pointee
        let data = [f.data.0, f.data.1, f.data.2, f.data.3]
        let strides = [f.info.stride.0, f.info.stride.1, f.info.stride.2, f.info.stride.3]
        let count = f.info.finfo.map { Int($0.pointee.n_planes) } ?? 0
        var planes: [Plane] = []
        for (data, stride) in zip(data, strides).prefix(count) {
            guard let data else { return nil }
            planes.append(Plane(data: data, stride: Int(stride)))
        }
        self.init(width: Int(f.info.width), height: Int(f.info.height), planes: planes)
    }
}

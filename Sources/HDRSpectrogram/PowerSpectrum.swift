import CGstFFT
import Glibc

/// The power of sound by frequency, in windows of one length, computed by GStreamer's Fourier transform.
final class PowerSpectrum {
    /// The number of samples of a window, a power of two.
    let size: Int
    /// The power of each frequency that is a multiple of the sample rate over ``size``, from 0 up to half the rate,
    /// summed over channels. A sine of full scale in every channel has the power 1.
    private(set) var power: [Float]
    private let transform: OpaquePointer?
    private let window: [Float]
    private let scale: Float
    private var input: [Float]
    private var output: [GstFFTF32Complex]

    /// - Parameters:
    ///   - size: a power of two from 4 on.
    ///   - channels: 1 or more.
    init(size: Int, channels: Int) {
        self.size = size
        // This is a periodic Hann window.
        window = (0..<size).map { Float(0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(size))) }
        let sum = Double(size) / 2
        scale = Float(4 / (sum * sum * Double(channels)))
        input = [Float](repeating: 0, count: size)
        output = [GstFFTF32Complex](repeating: GstFFTF32Complex(r: 0, i: 0), count: size / 2 + 1)
        power = [Float](repeating: 0, count: size / 2 + 1)
        transform = gst_fft_f32_new(gint(clamping: size), 0)
    }

    deinit { transform.map(gst_fft_f32_free) }

    /// Begins a window, to which no channel has been added.
    func clear() { for index in power.indices { power[index] = 0 } }

    /// Adds a channel's samples, ``size`` of them from `start` on.
    func add(_ samples: [Float], from start: Int) {
        guard start >= 0, start + size <= samples.count, let transform else { return }
        for index in 0..<size { input[index] = samples[start + index] * window[index] }
        gst_fft_f32_fft(transform, input, &output)
        for index in power.indices {
            let bin = output[index]
            power[index] += (bin.r * bin.r + bin.i * bin.i) * scale
        }
    }
}

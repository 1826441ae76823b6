import Glibc

/// Loudness by EBU R 128 and ITU-R BS.1770, measured by libebur128, which is loaded on first use.
final class Loudness {
    private typealias State = UnsafeMutableRawPointer
    private typealias Init = @convention(c) (UInt32, UInt, Int32) -> State?
    private typealias Destroy = @convention(c) (UnsafeMutablePointer<State?>) -> Void
    private typealias AddFrames = @convention(c) (State, UnsafePointer<Double>, Int) -> Int32
    private typealias Read = @convention(c) (State, UnsafeMutablePointer<Double>) -> Int32

    /// The library's modes (ebur128.h): momentary, short-term, integrated, range, and a histogram instead of a list
    /// that grows.
    private static let modes: Int32 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 6
    /// The number of frames that are passed to the library at a time.
    private static let step = 1024

    private let library: UnsafeMutableRawPointer
    private var state: State?
    private let destroy: Destroy
    private let addFrames: AddFrames
    private let readMomentary: Read
    private let readShortTerm: Read
    private let readIntegrated: Read
    private let readRange: Read
    private let channels: Int
    private let interleaved: UnsafeMutablePointer<Double>

    /// - Returns: `nil` where the library is not installed or refuses the parameters.
    init?(channels: Int, rate: Int) {
        guard let library = dlopen("libebur128.so.1", RTLD_NOW | RTLD_LOCAL) else { return nil }
        func function<T>(_ name: String, as type: T.Type) -> T? {
            dlsym(library, name).map { unsafeBitCast($0, to: type) }
        }
        guard let make = function("ebur128_init", as: Init.self),
            let destroy = function("ebur128_destroy", as: Destroy.self),
            let addFrames = function("ebur128_add_frames_double", as: AddFrames.self),
            let momentary = function("ebur128_loudness_momentary", as: Read.self),
            let shortTerm = function("ebur128_loudness_shortterm", as: Read.self),
            let integrated = function("ebur128_loudness_global", as: Read.self),
            let range = function("ebur128_loudness_range", as: Read.self),
            let state = make(UInt32(channels), UInt(rate), Self.modes)
        else {
            dlclose(library)
            return nil
        }
        self.library = library
        self.state = state
        self.destroy = destroy
        self.addFrames = addFrames
        readMomentary = momentary
        readShortTerm = shortTerm
        readIntegrated = integrated
        readRange = range
        self.channels = channels
        interleaved = .allocate(capacity: Self.step * channels)
    }

    deinit {
        destroy(&state)
        interleaved.deallocate()
        dlclose(library)
    }

    func add(_ planes: UnsafePointer<UnsafeMutablePointer<Double>>, from first: Int, frames: Int) {
        guard let state else { return }
        var done = 0
        while done < frames {
            let count = min(Self.step, frames - done)
            for channel in 0..<channels {
                let plane = planes[channel] + first + done
                // A single NaN would persist in the library's filters.
                for frame in 0..<count {
                    interleaved[frame * channels + channel] = plane[frame].isFinite ? plane[frame] : 0
                }
            }
            _ = addFrames(state, interleaved, count)
            done += count
        }
    }

    /// Loudness in LUFS, -infinity for silence.
    var momentary: Double { read(readMomentary) }
    var shortTerm: Double { read(readShortTerm) }
    var integrated: Double { read(readIntegrated) }
    /// Loudness range in LU.
    var range: Double { read(readRange) }

    private func read(_ function: Read) -> Double {
        var value = -Double.infinity
        guard let state, function(state, &value) == 0 else { return -.infinity }
        return value
    }
}

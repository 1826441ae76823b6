import CMockCompositor
import Foundation

@testable import HDRPresenter

/// A compositor in this process, with the capabilities of one that people use.
final class MockCompositor: @unchecked Sendable {
    let mock: OpaquePointer

    init(_ options: mock_options) {
        var options = options
        mock = mock_create(&options)
    }

    deinit { mock_destroy(mock) }

    func presenter() -> WaylandPresenter { WaylandPresenter(socket: mock_connect(mock)) }

    private func text(_ read: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> String {
        let capacity = 1 << 20
        let bytes = [CChar](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = read(buffer.baseAddress, capacity)
        }
        return String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The requests so far, as `wl_surface.commit`.
    var log: [String] { text { mock_log(mock, $0, $1) }.split(separator: "\n").map(String.init) }
    var protocolError: String { text { mock_error(mock, $0, $1) } }
    var title: String { text { mock_title(mock, $0, $1) } }
    var frames: UInt32 { mock_frame_count(mock) }

    var surfaces: [mock_surface] {
        (0..<mock_surface_count(mock)).compactMap { index in
            var surface = mock_surface()
            return mock_surface_get(mock, index, &surface) ? surface : nil
        }
    }

    var descriptions: [mock_description] {
        (0..<mock_description_count(mock)).compactMap { index in
            var description = mock_description()
            return mock_description_get(mock, index, &description) ? description : nil
        }
    }

    /// The pixels that a surface shows.
    func pixels(_ surface: Int, bytesPerPixel: Int) -> [UInt8] {
        let capacity = 1 << 22
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = mock_surface_pixels(mock, surface, buffer.baseAddress, capacity, bytesPerPixel)
        }
    }
}

enum Capabilities {
    private static func bits(_ numbers: UInt32...) -> UInt32 { numbers.reduce(0) { $0 | 1 << $1 } }

    static func fourCC(_ text: String) -> UInt32 { text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    private static func options(_ formats: String...) -> mock_options {
        var options = mock_options()
        options.format_count = formats.count
        withUnsafeMutableBytes(of: &options.formats) { bytes in
            for (index, format) in formats.enumerated() {
                bytes.storeBytes(of: fourCC(format), toByteOffset: index * 4, as: UInt32.self)
            }
        }
        options.presentation_clock = CLOCK_MONOTONIC
        options.intents = bits(0)
        options.preferred = hdr
        options.output = hdr
        return options
    }

    /// A display of 812 cd/m² with SDR white at 203: headroom 4. The encoding's own maximum is not the display's.
    static let hdr = mock_luminances(min: 50, max: 10_000, reference: 203, target_min: 100, target_max: 812)
    static let sdr = mock_luminances(min: 2000, max: 80, reference: 80, target_min: 2000, target_max: 80)

    static func kwin(version: UInt32 = 2) -> mock_options {
        var options = options("XB4H", "AB4H", "XB30", "XR30", "XB24")
        options.color_version = version
        // Parametric, primaries, luminances, mastering, extended target volume, Windows-scRGB, and one of tomorrow's.
        options.features = bits(1, 2, 3, 4, 5, 6, 7, 8)
        options.transfers = bits(1, 2, 5, 11, 14)
        options.primaries = bits(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
        return options
    }

    static func mutter(version: UInt32 = 1) -> mock_options {
        var options = options("XB4H", "AB4H", "XR4H", "XB30", "XR30")
        options.color_version = version
        options.features = bits(0, 1, 2, 3, 4)
        options.transfers = bits(1, 2, 3, 5, 9, 11)
        options.primaries = bits(1, 2, 3, 4, 5, 6, 8, 9, 10)
        return options
    }

    static func sway(version: UInt32 = 1) -> mock_options {
        var options = options("XB30", "XR30", "XB24")
        options.color_version = version
        options.features = bits(1, 5)
        options.transfers = bits(2, 5, 11)
        options.primaries = bits(1, 6)
        return options
    }

    /// Windows-scRGB and nothing else.
    static func windows() -> mock_options {
        var options = options("XB4H")
        options.color_version = 1
        options.features = bits(7)
        return options
    }

    static func plain() -> mock_options { options() }
}

import CMockCompositor
import Foundation
import TestSupport

@testable import HDRPresenter

/// A presenter with an open window on a mock compositor.
final class Session {
    let compositor: MockCompositor
    let presenter: WaylandPresenter
    let recorder = Recorder()
    private var serial: UInt64 = 0

    init(_ options: mock_options) throws {
        compositor = MockCompositor(options)
        presenter = compositor.presenter()
        try presenter.open(window: 0, size: (64, 32), title: "Test", events: recorder)
    }

    deinit { presenter.close() }

    /// Configures as the presenter chooses.
    @discardableResult
    func configure(
        _ width: Int = 64, _ height: Int = 32, format: PictureFormat? = nil, transfer: PictureEncoding.Transfer? = nil,
        wantsExtendedRange: Bool = true, maxCLL: Double? = nil, maxFALL: Double? = nil, peak: Double? = nil
    ) throws -> PictureDescription {
        let choice = presenter.choose(wantsExtendedRange: wantsExtendedRange, format: format, encoding: transfer)
        let picture = PictureDescription(
            width: width, height: height, format: choice.format, encoding: choice.encoding,
            contentPeak: peak ?? presenter.display.peak, maxCLL: maxCLL, maxFALL: maxFALL)
        try presenter.configure(picture)
        return picture
    }

    static func whole(_ picture: PictureDescription, _ width: Double = 64, _ height: Double = 32) -> View {
        View(
            source: .init(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height)),
            destination: .init(x: 0, y: 0, width: width, height: height))
    }

    /// Shows one picture whose bytes a generator makes; the bytes, without the gaps between lines.
    @discardableResult
    func show(_ picture: PictureDescription, views: [View]? = nil, seed: UInt64 = 1) throws -> (
        serial: UInt64, bytes: [UInt8]
    ) {
        guard let buffer = try presenter.acquire() else { throw PresenterError("The presenter is flushing.") }
        let picture = buffer.description
        let line = picture.width * picture.format.bytesPerPixel
        var random = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        for y in 0..<picture.height {
            for x in 0..<line {
                let byte = UInt8(random.below(256))
                buffer.memory.storeBytes(of: byte, toByteOffset: y * buffer.stride + x, as: UInt8.self)
                bytes.append(byte)
            }
        }
        serial += 1
        try presenter.present(buffer, serial: serial, views: views ?? [Self.whole(picture)], target: nil)
        return (serial, bytes)
    }
}

import CWayland
import CXCB
import Foundation
import Testing

@testable import HDRPresenter

/// The desktop's libraries, which are loaded when a presenter opens, and what happens where one is missing.
@Suite(.timeLimit(.minutes(1)))
struct LateLibraryTests {
    static let xcbPackages = ["libxcb1", "libxcb-present0", "libxcb-randr0", "libxcb-render0", "libxcb-shm0"]

    static func open(_ presenter: some Presenter) throws {
        try presenter.open(window: 0, size: (64, 32), title: "", events: Recorder())
    }

    @Test(arguments: xcbPackages)
    func missingXCBLibraryIsNamedWithItsPackage(package: String) throws {
        var libraries = LateLibrary.xcb
        #expect(libraries.map(\.package) == Self.xcbPackages)
        let index = try #require(libraries.firstIndex { $0.package == package })
        libraries[index].file = "lib\(package)-is-not-here.so.0"
        let presenter = X11Presenter(display: ":0", unused: [], libraries: libraries)
        let error = #expect(throws: PresenterError.self) { try Self.open(presenter) }
        #expect(error?.description.contains(libraries[index].file) == true)
        #expect(error?.description.hasSuffix("install the Debian package \(package).") == true)
        presenter.close()
    }

    @Test func missingWaylandLibraryIsNamedWithItsPackage() throws {
        let compositor = MockCompositor(Capabilities.kwin())
        let presenter = compositor.presenter()
        presenter.library.file = "libwayland-is-not-here.so.0"
        let error = #expect(throws: PresenterError.self) { try Self.open(presenter) }
        #expect(error?.description.contains("libwayland-is-not-here.so.0") == true)
        #expect(error?.description.hasSuffix("install the Debian package libwayland-client0.") == true)
        presenter.close()
    }

    @Test func libraryWithoutTheFunctionsChangesNothing() throws {
        let compositor = MockCompositor(Capabilities.kwin())
        let other = compositor.presenter()
        other.library.file = "libm.so.6"
        let error = #expect(throws: PresenterError.self) { try Self.open(other) }
        #expect(error?.description.contains("libm.so.6 has no wl_display_cancel_read") == true)
        let presenter = compositor.presenter()
        try Self.open(presenter)
        #expect(presenter.display.headroom == 4)
        presenter.close()
    }

    @Test func functionOfAnUnloadedLibraryReturnsNothing() async {
        // A process of its own, where nothing is loaded yet.
        await #expect(processExitsWith: .success) {
            var screen: Int32 = 7
            let roots = xcb_setup_roots_iterator(nil)
            guard xcb_connect(":0", &screen) == nil, screen == 7, roots.data == nil, roots.rem == 0,
                cxcb_present() == nil, xcb_get_extension_data(nil, nil) == nil, wl_display_connect_to_fd(-1) == nil
            else { exit(1) }
        }
    }

    @Test func manyThreadsLoadAtOnce() async {
        await #expect(processExitsWith: .success) {
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    for library in LateLibrary.xcb + [.wayland] { try library.load() }
                } catch {
                    exit(2)
                }
                // It gives a connection also where it fails, which has to be ended.
                guard let connection = xcb_connect("/nowhere/x:0", nil), xcb_connection_has_error(connection) != 0,
                    cxcb_present() != nil, cxcb_randr() != nil, cxcb_render() != nil, cxcb_shm() != nil
                else { exit(3) }
                xcb_disconnect(connection)
            }
        }
    }
}

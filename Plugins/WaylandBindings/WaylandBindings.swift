import Foundation
import PackagePlugin

/// Makes the Wayland bindings before anything is compiled.
///
/// A build command cannot do it, because SwiftPM takes no generated C headers; a prebuild command runs first, and the C
/// target includes what it leaves in its own folder.
@main
struct WaylandBindings: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        [
            .prebuildCommand(
                displayName: "Wayland bindings",
                executable: context.package.directoryURL.appendingPathComponent("meson-wrap/wayland-bindings"),
                arguments: [],
                outputFilesDirectory: context.pluginWorkDirectoryURL)
        ]
    }
}

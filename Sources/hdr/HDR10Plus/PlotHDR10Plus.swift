import HDRInspection
import HDRPipeline

/// `hdr hdr10plus plot`.
enum PlotHDR10Plus: Verb {
    static let name = "plot"
    static let words = "INPUT... [-o PLOT.png]"
    static let summary = "MaxSCL and the average over time as a PNG file, and where shots begin"
    static let options = [PlotMetadata.title] + HDR10PlusCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        try await PlotMetadata.run(
            options, title: "hdr hdr10plus plot", look: HDR10PlusList.look(at:)
        ) { input, progress in
            let list = try await HDR10PlusList(input, progress)
            var shots = DynamicMetadataShots()
            for frame in list.frames { shots.add(nil, frame) }
            return DynamicMetadataReport(
                shots: shots, times: list.times.isEmpty ? PlotMetadata.times(list.frames.count) : list.times)
        }
    }
}

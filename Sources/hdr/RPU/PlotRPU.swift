import HDRInspection
import HDRPipeline

/// `hdr rpu plot`.
enum PlotRPU: Verb {
    static let name = "plot"
    static let words = "INPUT... [-o PLOT.png]"
    static let summary = "level 1 over time as a PNG file: minimum, average and maximum, and where shots begin"
    static let options = [PlotMetadata.title] + RPUCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        try await PlotMetadata.run(options, title: "hdr rpu plot", look: RPUList.look(at:)) { input, progress in
            let list = try await RPUList(input, progress)
            var shots = DynamicMetadataShots()
            try list.forEach(of: input) { _, rpu, _ in shots.add(rpu, nil) }
            return DynamicMetadataReport(
                shots: shots, times: list.times.isEmpty ? PlotMetadata.times(list.pieces.count) : list.times)
        }
    }
}

import HDRContainer

/// The functions by which filters behind the muxer query and notify the bin.
struct ContainerOwner {
    /// Called for the first byte and at the end of the stream.
    let begun: () -> Void
    /// The metadata to be written into the file, as far as they are known now.
    let metadata: () -> ContainerMetadata
    /// Called at the end of the stream with the samples of each track; not called where they cannot be counted.
    let written: ([TrackSamples]) -> Void
}

import HDRContainer

/// What the filters behind the muxer ask of the bin, and tell it.
struct ContainerOwner {
    /// Called for the first byte and at the end of the stream.
    let begun: () -> Void
    /// What the file shall say of its streams, as far as that is known now.
    let metadata: () -> ContainerMetadata
    /// Called at the end of the stream with the samples of each track; not called where they cannot be counted.
    let written: ([TrackSamples]) -> Void
}

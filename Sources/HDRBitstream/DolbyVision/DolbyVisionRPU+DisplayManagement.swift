extension DolbyVisionRPU {
    /// The display management data, with which a display adapts the picture: vdr_dm_data_payload(), with its extension
    /// metadata blocks.
    package struct DisplayManagement: Equatable, Sendable {
        /// affected_dm_metadata_id and current_dm_metadata_id, which are equal in known streams.
        package var affectedID: UInt32 = 0
        package var currentID: UInt32 = 0
        /// scene_refresh_flag: 1 where a scene begins. Phones set it in each picture.
        package var sceneRefreshFlag: UInt32 = 0
        /// The signal data; `nil` where the header's flag leaves them out.
        package var signal: Signal? = Signal()
        /// The blocks of content mapping 2.9, in the order of the bitstream.
        package var blocks: [Block] = []
        /// The blocks of content mapping 4.0; `nil` where the RPU ends before them.
        package var extendedBlocks: [Block]?

        package init() {}

        /// - Parameter unknownBytes: how many bytes of unknown meaning are written behind these metadata.
        mutating func code(
            _ coder: inout RPUCoder, _ sequence: SequenceInfo?, unknownBytes: Int
        ) throws(BitstreamError) {
            try coder.ue(&affectedID, "affected_dm_metadata_id")
            try coder.ue(&currentID, "current_dm_metadata_id")
            try coder.ue(&sceneRefreshFlag, "scene_refresh_flag")
            let isCompressed = sequence?.dmCompression == 1
            if coder.isReading { signal = isCompressed ? nil : Signal() }
            guard (signal == nil) == isCompressed else {
                throw coder.failure("has display management whose signal does not fit to its compression")
            }
            try signal?.code(&coder)
            try Block.code(&coder, list: &blocks)
            if coder.isReading {
                // Fewer than two bytes before the CRC cannot be a list of blocks.
                extendedBlocks = coder.remaining >= 16 ? [] : nil
            } else {
                try checkEnd(coder, unknownBytes)
            }
            if var list = extendedBlocks {
                extendedBlocks = nil
                try Block.code(&coder, list: &list)
                extendedBlocks = list
            }
        }

        /// Throws where the data behind the first list would be read back as something else.
        private func checkEnd(_ coder: RPUCoder, _ unknownBytes: Int) throws(BitstreamError) {
            if extendedBlocks == nil, unknownBytes > 1 {
                throw coder.failure("has unknown bytes, which would be read as blocks of content mapping 4.0")
            }
            if extendedBlocks?.isEmpty == true, unknownBytes < (coder.writer.isAligned ? 1 : 2) {
                throw coder.failure("has content mapping 4.0 without a block: it needs level 254 at least")
            }
        }
    }

    /// The conversion of the reshaped picture to light, and the range of the mastering display.
    package struct Signal: Equatable, Sendable {
        /// ycc_to_rgb_coef: nine, row by row, in units of 1/8192.
        package var yccToRGB: [Int16] = [9574, 0, 13802, 9574, -1540, -5348, 9574, 17610, 0]
        /// ycc_to_rgb_offset: three, in units of 1/2^28, of profile 4 1/2^30.
        package var yccToRGBOffset: [UInt32] = [1 << 24, 1 << 27, 1 << 27]
        /// rgb_to_lms_coef: nine, row by row, in units of 1/16384.
        package var rgbToLMS: [Int16] = [7222, 8771, 390, 2654, 12430, 1300, 0, 422, 15962]
        /// The value of signal_eotf: 65535 stands for PQ.
        package var eotf: UInt16 = 65535
        package var eotfParameter0: UInt16 = 0
        package var eotfParameter1: UInt16 = 0
        package var eotfParameter2: UInt32 = 0
        /// signal_bit_depth, 0...31.
        package var bitDepth: UInt8 = 12
        /// signal_color_space, 0...3: 0 is YCbCr, 1 RGB and 2 IPT.
        package var colorSpace: UInt8 = 0
        /// signal_chroma_format, 0...3.
        package var chromaFormat: UInt8 = 0
        /// signal_full_range_flag, 0...3.
        package var fullRangeFlag: UInt8 = 1
        /// The mastering display's darkest and brightest light in PQ, 0...4095: source_min_pq, source_max_pq.
        package var sourceMinimumPQ: UInt16 = 0
        package var sourceMaximumPQ: UInt16 = 0
        /// The mastering display's diagonal in inches, 0...1023.
        package var sourceDiagonal: UInt16 = 42

        /// The values of profiles 8.1 and 8.4, without a mastering display.
        package init() {}

        mutating func code(_ coder: inout RPUCoder) throws(BitstreamError) {
            guard yccToRGB.count == 9, yccToRGBOffset.count == 3, rgbToLMS.count == 9 else {
                throw coder.failure("has matrices of other than 9 numbers or not 3 offsets")
            }
            for index in yccToRGB.indices { try coder.i16(&yccToRGB[index], "ycc_to_rgb_coef") }
            for index in yccToRGBOffset.indices { try coder.u(&yccToRGBOffset[index], 32, "ycc_to_rgb_offset") }
            for index in rgbToLMS.indices { try coder.i16(&rgbToLMS[index], "rgb_to_lms_coef") }
            try coder.u(&eotf, 16, "signal_eotf")
            try coder.u(&eotfParameter0, 16, "signal_eotf_param0")
            try coder.u(&eotfParameter1, 16, "signal_eotf_param1")
            try coder.u(&eotfParameter2, 32, "signal_eotf_param2")
            try coder.u(&bitDepth, 5, "signal_bit_depth")
            try coder.u(&colorSpace, 2, "signal_color_space")
            try coder.u(&chromaFormat, 2, "signal_chroma_format")
            try coder.u(&fullRangeFlag, 2, "signal_full_range_flag")
            try coder.u(&sourceMinimumPQ, 12, "source_min_pq")
            try coder.u(&sourceMaximumPQ, 12, "source_max_pq")
            try coder.u(&sourceDiagonal, 10, "source_diagonal")
        }
    }
}

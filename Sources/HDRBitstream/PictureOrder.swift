/// The output order of the pictures of an HEVC or H.264 stream, from their slice headers: H.265 8.3.1 and C.5.2, H.264
/// 8.2.1 and C.4.5.3. For streams without timestamps.
package struct PictureOrder: Sendable {
    /// A picture with its position in output order.
    package struct Place: Equatable, Sendable {
        /// Counted from 0 in decoding order.
        package var picture: Int
        /// Counted from 0 in output order.
        package var rank: Int
    }

    package enum Codec: Equatable, Sendable {
        case hevc
        case avc
    }

    package let codec: Codec
    package var framing: NALFraming
    /// Maximum number of pictures that precede one in decoding order and follow it in output order; known with the
    /// first parameter sets.
    package private(set) var delay: Int?

    private var parameters = PictureOrderParameters()
    /// The order count of the last picture from which others are counted: H.265's prevTid0Pic, H.264's last reference.
    private var lastCount = (lsb: 0, msb: 0)
    private var waiting: [(picture: Int, count: Int)] = []
    private var pictures = 0
    private var ranks = 0
    /// An end of sequence: the next picture begins a new one.
    private var isEnded = true

    package init(codec: Codec, framing: NALFraming = .byteStream) {
        self.codec = codec
        self.framing = framing
    }

    /// Reads `hvcC` or `avcC`.
    package mutating func read(configuration: [UInt8]) throws(BitstreamError) {
        switch codec {
        case .hevc:
            let record = try HEVCConfigurationRecord(configuration)
            framing = record.framing
            for array in record.arrays {
                for unit in array.units { try parameters.readHEVC(unit, type: array.type) }
            }
        case .avc:
            let record = try configuration.withRawBytes { (bytes) throws(BitstreamError) in
                try AVCConfigurationRecord(bytes)
            }
            framing = record.framing
            for unit in record.sequenceSets + record.pictureSets { try parameters.readAVC(unit) }
        }
        delay = parameters.delay
    }

    /// Reads the next picture.
    /// - Returns: the output positions of this picture and of earlier ones, as far as they are known now.
    /// - Throws: where its order cannot be determined.
    package mutating func read(accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) -> [Place] {
        var reader = NALReader(accessUnit, framing: framing)
        var slice: PictureOrderSlice?
        while slice == nil, let unit = try reader.next() {
            let content = accessUnit.part(unit.content)
            switch codec {
            case .hevc:
                guard let type = unit.hevcType, unit.hevcLayer == 0 else { continue }
                if HEVCUnitType.slices.contains(type) {
                    slice = try parameters.hevcSlice(Array(content.prefix(64)), type: type)
                } else {
                    if type == 36 || type == 37 { isEnded = true }
                    try parameters.readHEVC(Array(content), type: type)
                }
            case .avc:
                switch unit.avcType {
                case 1?, 5?: slice = try parameters.avcSlice(Array(content.prefix(64)))
                case AVCUnitType.sps?, AVCUnitType.pps?: try parameters.readAVC(Array(content))
                default: break
                }
            }
        }
        delay = parameters.delay
        guard let slice else { throw BitstreamError("access unit has no picture") }
        return place(slice)
    }

    /// The output positions of the pictures that still wait for others, at the end of the stream.
    package mutating func finish() -> [Place] {
        isEnded = true
        return bump(downTo: 0)
    }

    /// The output positions of the waiting pictures, where the stream delays them longer than a decoder could.
    package mutating func flush() -> [Place] { bump(downTo: 0) }

    private mutating func place(_ slice: PictureOrderSlice) -> [Place] {
        let begins = slice.isInstant || isEnded && slice.isRandomAccess
        var places = begins ? bump(downTo: 0) : []
        isEnded = false
        let count: Int
        if let bits = slice.lsbBits {
            let size = 1 << bits
            if begins {
                lastCount = (0, 0)
            }
            var msb = begins ? 0 : lastCount.msb
            if !begins {
                if slice.lsb < lastCount.lsb, lastCount.lsb - slice.lsb >= size / 2 { msb &+= size }
                if slice.lsb > lastCount.lsb, slice.lsb - lastCount.lsb > size / 2 { msb &-= size }
            }
            count = msb &+ slice.lsb
            if slice.isAnchor { lastCount = (slice.lsb, msb) }
        } else {
            // Output order is decoding order.
            count = pictures
        }
        waiting.append((pictures, count))
        pictures += 1
        places += bump(downTo: delay ?? 0)
        return places
    }

    private mutating func bump(downTo limit: Int) -> [Place] {
        var places: [Place] = []
        while waiting.count > limit, let first = waiting.indices.min(by: { waiting[$0].count < waiting[$1].count }) {
            places.append(Place(picture: waiting.remove(at: first).picture, rank: ranks))
            ranks += 1
        }
        return places
    }
}

/// The fields of a picture's first slice that determine its order.
struct PictureOrderSlice: Equatable {
    /// IDR and BLA: no earlier picture is output after it.
    var isInstant = false
    /// Decoding can start here.
    var isRandomAccess = false
    /// Later picture order counts are counted from this one.
    var isAnchor = true
    var lsb = 0
    /// The number of bits of the order count's low part; `nil` where output order equals decoding order.
    var lsbBits: Int?
}

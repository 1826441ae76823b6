import CGStreamer
import CGstCheck
import Testing

/// Data that buffers carry in addition to the picture, and buffers that are not valid.
@Suite(.quiet)
struct BufferTests {
    private static let source = caps("P010_10LE", "bt2100-pq", 48, 32)
    private static let picture = PictureCodes.ramp(48, 32, bits: 10)

    @Test(arguments: [want("NV12"), want()]) func stampsAndFlags(_ target: String) throws {
        let harness = try Harness(caps("P010_10LE", "bt2100-pq", site: "cosited", 48, 32), to: target)
        let buffer = try Buffer(Self.picture, try harness.inputInfo())
        let p = buffer.pointer
        (p.pointee.pts, p.pointee.dts, p.pointee.duration) = (40, 30, 20)
        (p.pointee.offset, p.pointee.offset_end) = (5, 6)
        buffer.flags |= GST_BUFFER_FLAG_DISCONT.rawValue | GST_BUFFER_FLAG_MARKER.rawValue
        let output = try harness.convert(buffer)
        let o = output.pointer.pointee
        #expect((o.pts, o.dts, o.duration) == (40, 30, 20))
        #expect(output.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0)
        #expect(output.flags & GST_BUFFER_FLAG_MARKER.rawValue != 0)
        let next = try harness.convert(try Buffer(Self.picture, try harness.inputInfo()))
        #expect(next.flags & GST_BUFFER_FLAG_DISCONT.rawValue == 0)
    }

    /// Buffers that say nothing has happened are converted like all others.
    @Test func gapFlag() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        let expected = try harness.convert(Self.picture)
        let buffer = try Buffer(Self.picture, try harness.inputInfo())
        buffer.flags |= GST_BUFFER_FLAG_GAP.rawValue | GST_BUFFER_FLAG_DROPPABLE.rawValue
        #expect(try harness.convert(buffer).picture(try harness.outputInfo()) == expected)
    }

    // MARK: Metadata of buffers

    /// Places in the picture keep their meaning, because its size stays.
    @Test func cropIsKept() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        let buffer = try Buffer(Self.picture, try harness.inputInfo())
        let added = try #require(gst_buffer_add_meta(buffer.pointer, gst_video_crop_meta_get_info(), nil))
        added.withMemoryRebound(to: GstVideoCropMeta.self, capacity: 1) {
            ($0.pointee.x, $0.pointee.y, $0.pointee.width, $0.pointee.height) = (4, 6, 20, 10)
        }
        let output = try harness.convert(buffer)
        let kept = gst_buffer_get_meta(output.pointer, gst_video_crop_meta_api_get_type())
        let crop = try #require(kept).withMemoryRebound(to: GstVideoCropMeta.self, capacity: 1) { $0.pointee }
        #expect((crop.x, crop.y, crop.width, crop.height) == (4, 6, 20, 10))
    }

    @Test func regionOfInterestIsKept() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        let buffer = try Buffer(Self.picture, try harness.inputInfo())
        _ = gst_buffer_add_video_region_of_interest_meta(buffer.pointer, "face", 4, 6, 20, 10)
        let output = try harness.convert(buffer)
        #expect(gst_buffer_get_meta(output.pointer, gst_video_region_of_interest_meta_api_get_type()) != nil)
    }

    /// Metas that describe the colour are removed when the colour changes; other metas stay.
    @Test(
        arguments: [
            ("plain", [], true), ("about-video", ["video"], true), ("about-colour", ["video", "colorspace"], false),
            ("about-memory", ["memory"], false), ("about-size", ["video", "size", "orientation"], true),
        ] as [(String, [String], Bool)])
    func tags(_ name: String, _ tags: [String], _ isKept: Bool) throws {
        GStreamer.started
        let full = "gst-hdr-test-\(name)"
        if gst_meta_get_info(full) == nil {
            let copies = tags.map { g_strdup($0) }
            defer { for copy in copies { g_free(copy) } }
            var pointers = copies.map { UnsafePointer($0) } + [nil]
            _ = gst_meta_register_custom(full, &pointers, nil, nil, nil)
        }
        let harness = try Harness(Self.source, to: want("NV12"))
        let buffer = try Buffer(Self.picture, try harness.inputInfo())
        #expect(gst_buffer_add_custom_meta(buffer.pointer, full) != nil)
        let output = try harness.convert(buffer)
        #expect((gst_buffer_get_custom_meta(output.pointer, full) != nil) == isKept)
    }

    // MARK: Memory

    /// Rows may have any length in every format; bytes between the rows are neither read nor written.
    @Test(arguments: Format.every) func paddedRows(_ format: Format) throws {
        let text = caps(format.name, Color.pq.colorimetry(format), 33, 9)
        for target in [want("NV12"), want("RGBA64_LE", Color.hlg.rgb)] {
            let harness = try Harness(text, to: target)
            let picture = PictureCodes.ramp(33, 9, bits: format.bits)
            let expected = try harness.convert(picture)
            for padding in [4, 64, 1000] {
                let input = try Buffer(picture, try harness.inputInfo(), padding: padding)
                let bytes = input.bytes
                #expect(try harness.convert(input).picture(try harness.outputInfo()) == expected, "\(padding)")
                #expect(input.bytes == bytes)
            }
        }
    }

    /// A picture in several memories, or at an odd place in one.
    @Test func scatteredMemory() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        let info = try harness.inputInfo()
        let whole = try Buffer(Self.picture, info)
        let expected = try harness.convert(Self.picture)
        let bytes = whole.bytes
        let scattered = Buffer(try #require(gst_buffer_new()))
        for range in [0..<1001, 1001..<1002, 1002..<bytes.count] {
            let memory = try #require(gst_allocator_alloc(nil, gsize(range.count), nil))
            gst_buffer_append_memory(scattered.pointer, memory)
            _ = gst_buffer_fill(scattered.pointer, gsize(range.lowerBound), Array(bytes[range]), gsize(range.count))
        }
        #expect(try harness.convert(scattered).picture(info: harness) == expected)
        let shifted = Buffer(try #require(gst_buffer_new_allocate(nil, gsize(bytes.count + 3), nil)))
        _ = gst_buffer_fill(shifted.pointer, 3, bytes, gsize(bytes.count))
        gst_buffer_resize(shifted.pointer, 3, gssize(bytes.count))
        #expect(try harness.convert(shifted).picture(info: harness) == expected)
    }

    /// Memory that must not be written to, and buffers that others hold.
    @Test func readOnlyAndShared() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        let info = try harness.inputInfo()
        let expected = try harness.convert(Self.picture)
        let bytes = try Buffer(Self.picture, info).bytes
        let data = g_memdup2(bytes, gsize(bytes.count))
        defer { g_free(data) }
        let size = gsize(bytes.count)
        let memory = try #require(gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, data, size, 0, size, nil, nil))
        let readOnly = Buffer(try #require(gst_buffer_new()))
        gst_buffer_append_memory(readOnly.pointer, memory)
        #expect(try harness.convert(readOnly).picture(info: harness) == expected)
        #expect(readOnly.bytes == bytes)
        let shared = try Buffer(Self.picture, info)
        let other = Buffer(try #require(gst_buffer_copy(shared.pointer)))
        #expect(try harness.convert(shared).picture(info: harness) == expected)
        #expect(other.bytes == bytes && shared.bytes == bytes)
    }

    /// A pool whose buffers have rows of another length and room around the picture.
    @Test func pooledBuffers() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        var info = try harness.inputInfo()
        let expected = try harness.convert(Self.picture)
        let pool = try #require(gst_video_buffer_pool_new())
        defer { gst_object_unref(pool) }
        let caps = try #require(gst_video_info_to_caps(&info))
        defer { gst_caps_unref(caps) }
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, caps, guint(info.size), 1, 2)
        gst_buffer_pool_config_add_option(config, "GstBufferPoolOptionVideoMeta")
        gst_buffer_pool_config_add_option(config, "GstBufferPoolOptionVideoAlignment")
        var alignment = GstVideoAlignment()
        gst_video_alignment_reset(&alignment)
        (alignment.padding_left, alignment.padding_right) = (16, 22)
        (alignment.padding_top, alignment.padding_bottom) = (4, 6)
        alignment.stride_align = (63, 63, 63, 63)
        gst_buffer_pool_config_set_video_alignment(config, &alignment)
        #expect(gst_buffer_pool_set_config(pool, config) != 0)
        #expect(gst_buffer_pool_set_active(pool, 1) != 0)
        defer { gst_buffer_pool_set_active(pool, 0) }
        for _ in 0..<5 {
            var acquired: UnsafeMutablePointer<GstBuffer>?
            #expect(gst_buffer_pool_acquire_buffer(pool, &acquired, nil) == GST_FLOW_OK)
            let buffer = Buffer(try #require(acquired))
            try buffer.write(Self.picture, info)
            #expect(try harness.convert(buffer).picture(info: harness) == expected)
        }
    }

    /// Buffers that are too small for their caps: an error that says so, no picture, and the stream can go on.
    @Test(arguments: [0, 1, 16, 4607]) func tooSmall(_ size: Int) throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        let expected = try harness.convert(Self.picture)
        let buffer = Buffer(try #require(gst_buffer_new_allocate(nil, gsize(size), nil)))
        gst_buffer_memset(buffer.pointer, 0, 7, .max)
        #expect(harness.push(buffer) == GST_FLOW_ERROR)
        #expect(harness.pull() == nil)
        #expect(harness.errors.count == 1)
        #expect(try harness.convert(Self.picture) == expected)
    }

    /// Buffers that are too small are refused also where a setting has just ended passing through.
    @Test(arguments: [0, 16]) func tooSmallAfterPassingThrough(_ size: Int) throws {
        let harness = try Harness(caps("P010_10LE", "bt2100-pq", site: "cosited", 48, 32))
        _ = try harness.convert(Self.picture)
        harness.set("target-peak", "300")
        let buffer = Buffer(try #require(gst_buffer_new_allocate(nil, gsize(size), nil)))
        #expect(harness.push(buffer) == GST_FLOW_ERROR)
        #expect(harness.pull() == nil)
    }

    // MARK: Interlaced pictures

    /// Each field has chroma of its own: two fields of different colours do not mix.
    @Test(arguments: ["interleaved", "mixed"]) func fieldsStayApart(_ mode: String) throws {
        let text = caps("Y444_10LE", "bt2100-pq", 32, 16, more: "interlace-mode=\(mode)")
        let picture = PictureCodes(32, 16) { _, y in
            y & 1 == 0 ? SIMD4(300, 400, 600, 1023) : SIMD4(500, 600, 400, 1023)
        }
        let down = try Harness(text, to: want("I420_10LE", "bt2100-pq"))
        let up = try Harness(
            caps("I420_10LE", "bt2100-pq", site: "cosited", 32, 16, more: "interlace-mode=\(mode)"),
            to: want("Y444_10LE", "bt2100-pq"))
        let input = try Buffer(picture, try down.inputInfo())
        input.flags |= GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue | GST_VIDEO_BUFFER_FLAG_TFF.rawValue
        let middle = try down.convert(input)
        #expect(middle.flags & GST_VIDEO_BUFFER_FLAG_TFF.rawValue != 0)
        let result = try up.convert(middle).picture(info: up)
        #expect(result.difference(to: picture).largest <= 1)
        // In a progressive frame of a mixed stream they do.
        guard mode == "mixed" else { return }
        let progressive = try down.convert(try Buffer(picture, try down.inputInfo()))
        #expect(try up.convert(progressive).picture(info: up).difference(to: picture).largest > 50)
    }

    /// Odd heights, down to one row, and those whose fields have an odd number of rows, for which some formats have no
    /// chroma row to spare: nothing behind a picture's end is read or written.
    @Test(arguments: 1...11, ["interleaved", "mixed"]) func interlacedHeights(_ height: Int, _ mode: String) throws {
        let formats = [
            ("Y444_10LE", "I420_10LE"), ("I420_10LE", "Y444_10LE"), ("P010_10LE", "Y444_10LE"), ("P010_10LE", "NV12"),
            ("Y444_10LE", "P010_10LE"), ("P016_LE", "P012_LE"), ("NV21", "P010_10LE"),
        ]
        for (from, to) in formats {
            let harness = try Harness(["dither": "none"])
            // Zeros behind each output buffer.
            var parameters = GstAllocationParams()
            gst_allocation_params_init(&parameters)
            parameters.padding = 1024
            parameters.flags = GST_MEMORY_FLAG_ZERO_PADDED
            gst_harness_set_propose_allocator(harness.harness, nil, &parameters)
            let more = "interlace-mode=\(mode)"
            try #require(harness.negotiate(caps(from, "bt2100-pq", 17, height, more: more), to: want(to, "bt2100-pq")))

            let (source, target) = (
                Color.pq.signal(Format(from)).quantization, Color.pq.signal(Format(to)).quantization
            )
            let signal = SIMD3(0.45, 0.5, 0.55)
            // GStreamer's own packer writes rows that these formats do not have; a flat picture can go without fields.
            func packing(_ name: String, _ info: GstVideoInfo) -> GstVideoInfo {
                var info = info
                info.interlace_mode =
                    name.hasPrefix("P01") ? GST_VIDEO_INTERLACE_MODE_PROGRESSIVE : GST_VIDEO_INTERLACE_MODE_INTERLEAVED
                return info
            }
            let info = packing(from, try harness.inputInfo())
            let input = try Buffer(info, slack: 1024)
            try input.write(PictureCodes(17, height, signal: signal, source), info)
            input.flags |= GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue
            let output = try harness.convert(input)

            #expect(output.paddingIsZero, "\(from) to \(to)")
            let c = target.encode(signal)
            let flat = PictureCodes(17, height, UInt16(c.x), UInt16(c.y), UInt16(c.z))
            let shown = packing(to, try harness.outputInfo())
            #expect(try output.picture(shown).difference(to: flat).largest <= 1, "\(from) to \(to)")
        }
    }
}

extension Buffer {
    /// The picture that a harness has given.
    fileprivate func picture(info harness: Harness) throws -> PictureCodes { try picture(try harness.outputInfo()) }

    /// Whether the memory behind the buffer's end is untouched.
    fileprivate var paddingIsZero: Bool {
        guard let memory = gst_buffer_peek_memory(pointer, 0) else { return false }
        var map = GstMapInfo()
        guard gst_memory_map(memory, &map, GST_MAP_READ) != 0 else { return false }
        defer { gst_memory_unmap(memory, &map) }
        let end = Int(memory.pointee.maxsize - memory.pointee.offset)
        return (Int(map.size)..<end).allSatisfy { map.data?[$0] == 0 }
    }
}

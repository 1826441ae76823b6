import CHDRTap

/// Keeps a processor at one address for the element's callbacks. The tap's storage owns it, from attaching to finalize.
class TapBox {
    /// The element, unretained: it is only used in `prepare`, which the element itself calls.
    fileprivate let element: UnsafeMutablePointer<GstElement>
    fileprivate let memory: UnsafeMutablePointer<SpareMemory>
    private var isPrepared = false

    init(_ element: UnsafeMutablePointer<GstElement>) {
        self.element = element
        memory = .allocate(capacity: 1)
    }

    deinit {
        end()
        memory.deallocate()
    }

    /// - Returns: `nil` where the processor does not support the format.
    func prepare(_ format: AudioFormat, maxFrames: Int) throws -> AudioDelay? { nil }
    func process(_ context: inout AudioContext) {}
    func unprepare() {}

    fileprivate func begin(_ format: AudioFormat, maxFrames: Int) {
        end()
        memory.initialize(to: SpareMemory(format, maxFrames: maxFrames))
        isPrepared = true
    }

    fileprivate func end() {
        guard isPrepared else { return }
        isPrepared = false
        memory.deinitialize(count: 1)
    }
}

/// A box whose processor is behind a pointer, so that calls need no exclusive access to the object.
final class ProcessorBox<Processor: AudioProcessor & ~Copyable>: TapBox {
    private let processor: UnsafeMutablePointer<Processor>

    init(_ element: UnsafeMutablePointer<GstElement>, _ processor: consuming Processor) {
        self.processor = .allocate(capacity: 1)
        self.processor.initialize(to: processor)
        super.init(element)
    }

    deinit {
        processor.deinitialize(count: 1)
        processor.deallocate()
    }

    override func prepare(_ format: AudioFormat, maxFrames: Int) throws -> AudioDelay? {
        Processor.accepts(format) ? try processor.pointee.prepare(format, maxFrames: maxFrames) : nil
    }

    override func process(_ context: inout AudioContext) { processor.pointee.process(&context) }
    override func unprepare() { processor.pointee.unprepare() }
}

/// The element's callbacks, which find the box in the tap's storage.
enum TapCallbacks {
    static var all: GstHdrTapAudioCallbacks {
        GstHdrTapAudioCallbacks(
            size: gsize(MemoryLayout<GstHdrTapAudioCallbacks>.size),
            init: { tap, box in tap?.pointee.storage = box },
            finalize: { tap in
                guard let storage = tap?.pointee.storage else { return }
                Unmanaged<TapBox>.fromOpaque(storage).release()
            },
            prepare: { tap, maxFrames, info in
                guard let tap, let info, let storage = tap.pointee.storage else { return 0 }
                let box = Unmanaged<TapBox>.fromOpaque(storage).takeUnretainedValue()
                return TapCallbacks.prepare(tap, box, Int(maxFrames), info.pointee) ? 1 : 0
            },
            unprepare: { tap in
                guard let storage = tap?.pointee.storage else { return }
                let box = Unmanaged<TapBox>.fromOpaque(storage).takeUnretainedValue()
                box.unprepare()
                box.end()
            },
            process: { tap, frames, flags, list, framesOut, flagsOut in
                guard let tap, let list, let framesOut, let flagsOut else { return }
                TapCallbacks.process(tap, frames, flags, list, framesOut, flagsOut)
            })
    }

    private static func prepare(
        _ tap: UnsafeMutablePointer<GstHdrAudioTap>, _ box: TapBox, _ maxFrames: Int, _ info: GstAudioInfo
    ) -> Bool {
        guard let format = AudioFormat(info) else { return false }
        do {
            guard let delay = try box.prepare(format, maxFrames: maxFrames) else {
                warn(
                    box.element,
                    "The processor does not take \(format.name) samples. Convert them, for example with: "
                        + "audioconvert ! audio/x-raw,format=F32LE ! hdrtap")
                return false
            }
            box.begin(format, maxFrames: maxFrames)
            tap.pointee.latency = guint(clamping: delay.latency)
            tap.pointee.tail =
                delay.tail == AudioDelay.infiniteTail ? guint64(UInt64.max) : guint64(clamping: delay.tail)
            return true
        } catch {
            warn(box.element, "The processor refused the format: \(error)")
            return false
        }
    }

    /// The real-time path: it neither allocates nor counts references.
    private static func process(
        _ tap: UnsafeMutablePointer<GstHdrAudioTap>, _ frames: guint, _ flags: guint,
        _ list: UnsafeMutablePointer<GstHdrTapAudioBufferList>, _ framesOut: UnsafeMutablePointer<guint>,
        _ flagsOut: UnsafeMutablePointer<guint>
    ) {
        guard let storage = tap.pointee.storage else { return }
        Unmanaged<TapBox>.fromOpaque(storage)._withUnsafeGuaranteedRef { box in
            var context = AudioContext(
                tap, frames: Int(frames), flags: AudioFlags(rawValue: flags), list: list,
                memory: box.memory)
            box.process(&context)
            framesOut.pointee = guint(clamping: context.framesOut)
            flagsOut.pointee |= context.flagsOut.rawValue
        }
    }

    /// Posts the reason as a warning, before the element's error.
    private static func warn(_ element: UnsafeMutablePointer<GstElement>, _ text: String) {
        gst_element_message_full(
            element, GST_MESSAGE_WARNING, gst_stream_error_quark(), gint(GST_STREAM_ERROR_FORMAT.rawValue),
            g_strdup(text), nil, #fileID, #function, #line)
    }
}

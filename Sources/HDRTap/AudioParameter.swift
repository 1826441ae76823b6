import Synchronization

/// A number that threads share, such as a setting that the application changes while `process` reads it, or a level
/// that `process` measures. Each thread holds it by a value of its own:
///
///     let volume = AudioParameter(0.5)
///     let tap = try AudioTap(Gain(volume: volume.share()), on: element)
///     volume.value = 0.8
///
/// `value` may be read and set on any thread, in `process` too. Other memory is not ordered by it: what belongs
/// together goes through an `AudioQueue`.
public struct AudioParameter: ~Copyable, @unchecked Sendable {
    private let owner: Owner
    private let cell: UnsafeMutablePointer<Atomic<UInt32>>

    public init(_ value: Float) {
        owner = Owner(value)
        cell = owner.cell
    }

    private init(_ other: borrowing AudioParameter) {
        owner = other.owner
        cell = other.cell
    }

    /// Another value for the same number, for another thread.
    public func share() -> AudioParameter { AudioParameter(self) }

    public var value: Float {
        @_noLocks get { Float(bitPattern: cell.pointee.load(ordering: .relaxed)) }
        @_noLocks nonmutating set { cell.pointee.store(newValue.bitPattern, ordering: .relaxed) }
    }

    private final class Owner {
        let cell: UnsafeMutablePointer<Atomic<UInt32>>

        init(_ value: Float) {
            cell = .allocate(capacity: 1)
            cell.initialize(to: Atomic(value.bitPattern))
        }

        deinit {
            cell.deinitialize(count: 1)
            cell.deallocate()
        }
    }
}

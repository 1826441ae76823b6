import Foundation

/// Waits until a condition holds, for conditions that nothing signals: those of other processes and threads.
/// - Parameter interval: how long to sleep between two looks, where a look is expensive or disturbs what it looks at.
/// - Returns: Whether it holds, at the deadline at the latest.
package func eventually(
    within limit: Duration = .seconds(5), every interval: Duration = .milliseconds(1), _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while .now < deadline {
        if try condition() { return true }
        Thread.sleep(forTimeInterval: interval / .seconds(1))
    }
    return try condition()
}

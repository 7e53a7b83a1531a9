#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe that ends the `poll` of another thread.
final class WakeUp: Sendable {
    /// The end that `poll` waits for.
    let descriptor: Int32
    private let signalEnd: Int32

    /// Creates a pipe, or `nil` if the process has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        signalEnd = ends[1]
    }

    deinit {
        SystemCalls.close(descriptor)
        SystemCalls.close(signalEnd)
    }

    /// Wakes the thread up.
    func signal() {
        // A full pipe has woken it already.
        var byte: UInt8 = 0
        _ = write(signalEnd, &byte, 1)
    }

    /// Forgets the signals so far.
    func clear() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(descriptor, buffer.baseAddress, 64) == 64 {}
        }
    }
}

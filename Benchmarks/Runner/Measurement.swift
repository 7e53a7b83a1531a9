import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What some work took.
struct Measurement {
    var wall: Double
    var cpu: Double

    /// Measures some work.
    static func of(_ work: () async throws -> Void) async rethrows -> Measurement {
        let cpu = Self.cpu
        let start = ContinuousClock.now
        try await work()
        let wall = start.duration(to: .now)
        return Measurement(
            wall: Double(wall.components.seconds) + Double(wall.components.attoseconds) * 1e-18, cpu: Self.cpu - cpu)
    }

    /// The processor time of this process, in seconds.
    private static var cpu: Double {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}

extension [Double] {
    /// The middle one of the values.
    var median: Double {
        let sorted = sorted()
        return isEmpty ? .nan : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}

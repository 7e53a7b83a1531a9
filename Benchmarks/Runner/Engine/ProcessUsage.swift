import BenchmarkBaseline
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The resources that this process has used.
enum ProcessUsage {
    /// The processor time of all threads, in the program and in the system, in seconds.
    static var processorTime: Double {
        let usage = usage
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// Returns the processor time that the processes of a PostgreSQL server have used, in seconds; 0 if unknown.
    ///
    /// - Parameter server: The server's main process. Each connection is a child of it.
    static func processorTime(ofServer server: Int) -> Double {
        func numbers(_ path: String) -> [Double] {
            let text = (try? String(contentsOfFile: "/proc/\(path)", encoding: .utf8)) ?? ""
            return text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        }
        let children = numbers("\(server)/task/\(server)/children").map { Int($0) }
        return children.reduce(0) { $0 + (numbers("\($1)/schedstat").first ?? 0) } * 1e-9
    }

    /// The number of times that a thread of the process was suspended.
    static var wakeUps: Int { Int(usage.ru_nvcsw) }

    /// The bytes of memory that the process uses; 0 if unknown.
    static var residentBytes: Int { status("VmRSS") }

    /// The maximum since ``forgetPeak()``.
    static var peakBytes: Int {
        let peak = status("VmHWM")
        #if canImport(Darwin)
        return peak > 0 ? peak : Int(usage.ru_maxrss)
        #else
        return peak > 0 ? peak : Int(usage.ru_maxrss) * 1_024
        #endif
    }

    /// Returns unused memory to the system, and restarts the measurement of the maximum, if the system supports it.
    static func forgetPeak() {
        process_trim()
        #if os(Linux)
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
        #endif
    }

    /// The bytes that the program has allocated and not freed.
    static var allocatedBytes: Int { Int(process_allocated()) }

    private static var usage: rusage {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        return usage
    }

    private static func status(_ key: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key + ":") })
        else { return 0 }
        return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
    }
}

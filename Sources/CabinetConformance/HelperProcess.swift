import Cabinet
import Foundation

/// The actions of a helper on its own process.
enum HelperProcess {
    /// Kills the process within some milliseconds, as if the power failed for it alone.
    static func killSoon() {
        #if os(macOS) || os(Linux)
        let pause = Double.random(in: 0...0.02)
        SystemThread.startEventually("Cabinet helper") {
            Thread.sleep(forTimeInterval: pause)
            kill(getpid(), SIGKILL)
        }
        #endif
    }

    /// Lets writes fail that make a file larger than a number of bytes; `nil` ends that.
    static func limitFiles(to size: UInt64?) {
        #if os(macOS) || os(Linux)
        signal(SIGXFSZ, SIG_IGN)
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = size.map { min(rlim_t($0), limit.rlim_max) } ?? limit.rlim_max
        setrlimit(resource, &limit)
        #endif
    }
}

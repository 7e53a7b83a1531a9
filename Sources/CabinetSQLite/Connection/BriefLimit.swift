import Cabinet
import Dispatch

/// A time limit for a connection that works on a thread that must not be blocked.
struct BriefLimit {
    /// The deadline, in nanoseconds of uptime; 0 without a limit.
    private let end: UInt64
    private(set) var isExceeded = false
    private var stepCount: UInt8 = 0

    /// The number of steps between two checks.
    ///
    /// Reading the clock takes about as long as reading a column.
    private static let stepsPerCheck: UInt8 = 8

    init(end: UInt64 = 0) {
        self.end = end
    }

    /// Throws if the deadline has passed.
    mutating func check() throws(BriefLimitExceeded) {
        if end == 0 { return }
        if !isExceeded, DispatchTime.now().uptimeNanoseconds < end { return }
        isExceeded = true
        throw BriefLimitExceeded()
    }

    /// Checks the deadline before every eighth step of a statement.
    mutating func checkStep() throws(BriefLimitExceeded) {
        if end == 0 { return }
        stepCount &+= 1
        if stepCount % Self.stepsPerCheck == 0 { try check() }
    }
}

/// Thrown when work takes too long for the current thread.
///
/// The work then runs again on an executor.
struct BriefLimitExceeded: Error {}

extension Connection {
    /// Reads on a thread that must not be blocked.
    ///
    /// - Parameters:
    ///   - limit: The deadline, in nanoseconds of uptime.
    ///   - body: Reads from the connection. It changes nothing, because it may run again.
    /// - Returns: The result of the body; `nil` if the deadline passes, or if another connection has locked the file.
    /// - Throws: Other errors of the body.
    func runBriefly<Output>(until limit: UInt64, _ body: () throws -> Output) throws -> Output? {
        handle.briefLimit = BriefLimit(end: limit)
        waitsForLocks = false
        defer {
            handle.briefLimit = BriefLimit()
            waitsForLocks = true
        }
        do {
            let output = try body()
            // The body may have caught the error.
            return handle.briefLimit.isExceeded ? nil : output
        } catch {
            if handle.briefLimit.isExceeded || CabinetError.Code.zoneBusy ~= error { return nil }
            throw error
        }
    }
}

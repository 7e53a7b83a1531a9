import Cabinet
import Dispatch

/// How long a connection may work on a thread that must not be blocked, and whether it has taken longer.
struct BriefLimit {
    /// When the time ends, in nanoseconds of uptime; 0 without a limit.
    private let end: UInt64
    private(set) var isExceeded = false
    private var stepCount: UInt8 = 0

    /// The steps of statements between two looks at the clock, which takes about as long as a row's column.
    private static let stepsPerCheck: UInt8 = 8

    init(end: UInt64 = 0) {
        self.end = end
    }

    /// Throws if the time is over.
    mutating func check() throws(BriefLimitExceeded) {
        if end == 0 { return }
        if !isExceeded, DispatchTime.now().uptimeNanoseconds < end { return }
        isExceeded = true
        throw BriefLimitExceeded()
    }

    /// Throws now and then if the time is over, before a step of a statement.
    mutating func checkStep() throws(BriefLimitExceeded) {
        if end == 0 { return }
        stepCount &+= 1
        if stepCount % Self.stepsPerCheck == 0 { try check() }
    }
}

/// The work takes too long for the thread that it runs on, and runs again elsewhere.
struct BriefLimitExceeded: Error {}

extension Connection {
    /// Reads on a thread that must not be blocked.
    ///
    /// - Parameters:
    ///   - limit: When the time ends, in nanoseconds of uptime.
    ///   - body: Reads from the connection. It changes nothing, because it may run again.
    /// - Returns: What the body returns; `nil` if it takes longer, or if another connection has locked the file.
    /// - Throws: What the body throws for other reasons.
    func runBriefly<Output>(until limit: UInt64, _ body: () throws -> Output) throws -> Output? {
        handle.briefLimit = BriefLimit(end: limit)
        isPatient = false
        defer {
            handle.briefLimit = BriefLimit()
            isPatient = true
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

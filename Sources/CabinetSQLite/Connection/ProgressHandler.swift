import CSQLite
import Cabinet

extension DatabaseHandle {
    /// The number of steps of SQLite's virtual machine between two reports, which takes about 20 microseconds.
    private static let stepsPerReport: Int32 = 1_000

    /// Counts the statements of this connection as work of the current request.
    ///
    /// Stops them when the task is cancelled or its time on the caller's thread is over.
    ///
    /// Use this only for connections that read. If SQLite interrupts a statement that writes, it rolls back the whole
    /// transaction.
    func countSteps() {
        // The handle outlives the handler, because it closes the connection that calls it.
        sqlite3_progress_handler(
            pointer, Self.stepsPerReport, reportProgress, Unmanaged.passUnretained(self).toOpaque())
    }
}

/// SQLite calls this on the statement's thread, in the task of the request.
///
/// A result other than 0 interrupts the statement.
private func reportProgress(context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    let handle = Unmanaged<DatabaseHandle>.fromOpaque(context).takeUnretainedValue()
    do {
        try handle.briefLimit.check()
        // Two steps are one unit.
        try WorkMeter.current?.spend(500)
        return 0
    } catch {
        handle.functionFailure.record(error)
        return 1
    }
}

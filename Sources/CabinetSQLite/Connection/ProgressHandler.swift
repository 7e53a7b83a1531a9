import CSQLite
import Cabinet

extension DatabaseHandle {
    /// The steps of SQLite's virtual machine between two looks at the request's meter: some 20 microseconds.
    private static let stepsPerReport: Int32 = 1_000

    /// Makes the statements of this connection count as work of the request that runs them, and stop when its task is cancelled or its
    /// time on the caller's thread is over.
    ///
    /// Only for connections that read. SQLite rolls back the whole transaction if it interrupts a statement that writes.
    func countSteps() {
        // The handle closes the connection, which calls the handler.
        sqlite3_progress_handler(
            pointer, Self.stepsPerReport, reportProgress, Unmanaged.passUnretained(self).toOpaque())
    }
}

/// What SQLite calls on the thread of the statement, in the task of the request; not 0 ends the statement.
private func reportProgress(context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    let handle = Unmanaged<DatabaseHandle>.fromOpaque(context).takeUnretainedValue()
    do {
        try handle.briefLimit.check()
        // Two steps are one unit.
        try WorkMeter.current?.spend(500)
        return 0
    } catch {
        handle.functionFailure.note(error)
        return 1
    }
}

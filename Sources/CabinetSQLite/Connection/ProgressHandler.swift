import CSQLite
import Cabinet

extension DatabaseHandle {
    /// The steps of SQLite's virtual machine between two looks at the request's meter: some 20 microseconds.
    private static let stepsPerReport: Int32 = 1_000

    /// Makes the statements of this connection count as work of the request that runs them, and stop when its task is cancelled.
    ///
    /// Only for connections that read. SQLite rolls back the whole transaction if it interrupts a statement that writes.
    func countSteps() {
        // The failure is kept by the handle, whose connection calls the handler.
        let failure = Unmanaged.passUnretained(functionFailure).toOpaque()
        sqlite3_progress_handler(pointer, Self.stepsPerReport, reportProgress, failure)
    }
}

/// What SQLite calls on the thread of the statement, in the task of the request; not 0 ends the statement.
private func reportProgress(context: UnsafeMutableRawPointer?) -> Int32 {
    guard let meter = WorkMeter.current, let context else { return 0 }
    do throws(CabinetError) {
        // Two steps are one unit.
        try meter.spend(500)
        return 0
    } catch {
        Unmanaged<SQLFunctionFailure>.fromOpaque(context).takeUnretainedValue().note(error)
        return 1
    }
}

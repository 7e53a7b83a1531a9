extension Database {
    /// Runs a closure that reads and writes records as one unit, and runs it again if what it has read has changed.
    ///
    /// ```swift
    /// try await database.transaction { t in
    ///     var (from, to) = (try await t.record(for: a), try await t.record(for: b))
    ///     let source: Double = from["balance"] ?? 0
    ///     let target: Double = to["balance"] ?? 0
    ///     (from["balance"], to["balance"]) = (source - 10, target + 10)
    ///     try t.save([from, to])
    /// }
    /// ```
    ///
    /// All reads of the closure are of one state of the database, with the closure's own writes. The writes are sent when the
    /// closure returns: all of them are applied, in all zones, or none. They are applied only if every read would have the
    /// same result at that moment: a record that was absent is still absent, and a query finds the same records. If not, nothing
    /// was changed, and the closure runs again, after a random time that grows with the attempts. So it must not have effects
    /// that may not happen twice. Nothing is locked or held open between the requests, on any backend. See <doc:Conflicts>.
    ///
    /// - Use the transaction, rather than the database, in the closure: other calls are not part of it. It cannot be used after
    ///   the closure has returned. While the closure runs, neither it nor a task that it has started can begin another
    ///   transaction on the same database.
    /// - If the closure throws, nothing is saved, and the call throws the error. The closure has seen one state even then.
    /// - A transaction reads at most 4,000 records and queries.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of times that the closure runs, at least 1.
    ///   - isolation: The calling actor.
    ///   - body: A closure that reads and writes with the transaction.
    /// - Returns: The result of the closure. If it is a record that the transaction has saved, or an array of records, also of
    ///   typed ones, the records are as the server has stored them. Continue with them.
    /// - Throws: ``CabinetError/Code/serverRecordChanged`` if other clients changed what the closure had read in every attempt.
    ///   ``CabinetError/Code/partialFailure`` if a record cannot be saved or deleted, with the error of each in
    ///   ``CabinetError/partialErrorsByItemID``; that is not tried again. ``CabinetError/Code/invalidArguments`` if `attempts` is
    ///   less than 1, or within another transaction on the database. ``CabinetError/Code/operationCancelled`` if the task is
    ///   cancelled. The errors of the closure, among them those of reads, such as ``CabinetError/Code/limitExceeded`` for too many.
    @discardableResult
    public func transaction<Output>(
        attempts: Int = 20, isolation: isolated (any Actor)? = #isolation,
        _ body: (Transaction) async throws -> Output
    ) async throws -> Output {
        guard attempts > 0 else {
            throw CabinetError(.invalidArguments, "The number of attempts is \(attempts); expected 1 or more.")
        }
        guard !Transaction.isRunning(on: self) else {
            throw CabinetError(
                .invalidArguments,
                "A transaction on the \(databaseScope) database is running in this task. Use its reads and writes instead of a second one."
            )
        }
        var attempt = 1
        while true {
            let transaction = Transaction(self)
            do {
                let marks = Transaction.marks + [Transaction.Mark(transaction: transaction)]
                let output = try await Transaction.$marks.withValue(marks) {
                    try await body(transaction)
                }
                let saved = try await transaction.commit()
                // A cast of nil to an optional type succeeds, so the result of a missing conformance must not be cast.
                guard !saved.isEmpty, let records = output as? any ReturnedRecords else { return output }
                return records.replacing(saved) as? Output ?? output
            } catch {
                guard let conflict = transaction.end() else { throw error }
                if attempt == attempts { throw Self.exhausted(attempts, conflict) }
                try await Self.pause(after: attempt, conflict)
                attempt += 1
            }
        }
    }

    private static func exhausted(_ attempts: Int, _ conflict: CabinetError) -> CabinetError {
        CabinetError(
            .serverRecordChanged,
            "Other clients changed what the transaction had read in each of \(attempts) attempts. Nothing was saved. Try again later, or read less in one transaction.",
            recordID: conflict.recordID, underlyingError: conflict)
    }

    /// Waits for a random time, so that two transactions that conflict do not meet again.
    private static func pause(after attempt: Int, _ conflict: CabinetError) async throws {
        do {
            try await Task.sleep(for: .microseconds(Int.random(in: 0...(1_000 << min(attempt, 6)))))
        } catch {
            throw CabinetError(
                .operationCancelled, "The task was cancelled before the transaction was done. Nothing was saved.",
                recordID: conflict.recordID, underlyingError: conflict)
        }
    }
}

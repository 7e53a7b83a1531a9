import CPostgreSQL
import Cabinet

/// The answers to what was sent, which a caller waits for.
private struct ExpectedAnswers {
    /// The statements, and the end of them.
    let statements: [PendingStatement]
    /// The number of statements that are answered completely.
    var position = 0
    /// The failure of the first statement that failed.
    var failure: (any Error)?
    /// The number of unexpected messages before an end, which is limited.
    var unexpectedCount = 0

    /// The meter of the request, whose cancellation also cancels the statements.
    let meter = WorkMeter.current

    /// The meter, unless no statement is left to cancel.
    var cancellableMeter: WorkMeter? { position < statements.count - 1 ? meter : nil }
}

extension Connection {
    /// Blocks until all that was sent is answered.
    ///
    /// - Throws: The error of the first statement that failed; the server skips those after it.
    func flush() throws {
        guard var expected = try expectAnswers() else { return }
        while let mustWrite = try receive(&expected) {
            try waitForServer(toWrite: mustWrite, expected.cancellableMeter)
            guard PQconsumeInput(handle) == 1 else { throw endFailure(&expected) }
        }
        try finish(expected)
    }

    /// Waits until all that was sent is answered, as ``flush()`` does.
    ///
    /// A long wait occupies no thread.
    func answers() async throws {
        guard var expected = try expectAnswers() else { return }
        while let mustWrite = try receive(&expected) {
            try await serverIsReady(toWrite: mustWrite, expected.cancellableMeter)
            guard PQconsumeInput(handle) == 1 else { throw endFailure(&expected) }
        }
        try finish(expected)
    }

    /// Runs a statement as ``query(_:_:isPrepared:)`` does.
    ///
    /// A long wait for the answer occupies no thread.
    func answer(_ sql: String, _ parameters: [SQLValue] = [], isPrepared: Bool = true) async throws -> QueryResult {
        var found: QueryResult?
        try enqueue(sql, parameters, isPrepared: isPrepared) { found = $0 }
        try await answers()
        guard let found else { throw lost("no answer to: \(sql.prefix(200))") }
        return found
    }

    /// Ends what was sent.
    ///
    /// - Returns: The answers to wait for; `nil` if everything is answered.
    private func expectAnswers() throws -> ExpectedAnswers? {
        if pending.isEmpty { return nil }
        let statements = pending + [PendingStatement(statement: "", isEnd: true)]
        pending = []
        guard PQpipelineSync(handle) == 1 else { throw connectionFailure() }
        roundTrips += 1
        return ExpectedAnswers(statements: statements)
    }

    /// Handles the answers that have arrived.
    ///
    /// - Returns: Whether something is still to be sent, if more answers are expected; `nil` if all have arrived.
    private func receive(_ expected: inout ExpectedAnswers) throws -> Bool? {
        while expected.position < expected.statements.count {
            if PQisBusy(handle) == 1 {
                let unsent = PQflush(handle)
                if unsent < 0 { throw connectionFailure() }
                // More data may have arrived while the rest was sent.
                if PQisBusy(handle) == 1 { return unsent > 0 }
            }
            let statement = expected.statements[expected.position]
            let result = PQgetResult(handle)
            if statement.isEnd {
                try takeEnd(result, &expected)
            } else if let result {
                do {
                    try take(result, of: statement)
                } catch {
                    expected.failure = expected.failure ?? error
                }
            } else {
                expected.position += 1
            }
        }
        return nil
    }

    /// Returns the failure of a connection that has ended: the server's last message, if it has sent one.
    private func endFailure(_ expected: inout ExpectedAnswers) -> any Error {
        do {
            _ = try receive(&expected)
        } catch {
            return error
        }
        return expected.failure ?? connectionFailure()
    }

    /// Handles a message that may be the end of the statements before it.
    private func takeEnd(_ result: OpaquePointer?, _ expected: inout ExpectedAnswers) throws {
        let isEnd = result.map { PQresultStatus($0) == PGRES_PIPELINE_SYNC } ?? false
        PQclear(result)
        if isEnd {
            expected.position += 1
            expected.unexpectedCount = 0
            // No caller waits for the answers before an earlier end.
            if expected.position < expected.statements.count { expected.failure = nil }
            return
        }
        if result == nil, isBroken { throw expected.failure ?? connectionFailure() }
        expected.unexpectedCount += 1
        if expected.unexpectedCount >= 16 {
            throw expected.failure ?? lost("it sent more answers than expected")
        }
    }

    /// Throws the failure of the statements, if there is one.
    private func finish(_ expected: ExpectedAnswers) throws {
        defer { isCancelling = false }
        // The request might cancel a later statement.
        if isStopping { isAbandoned = true }
        guard let error = expected.failure else { return }
        guard var failure = error as? PostgresFailure else { throw error }
        // An earlier transaction has failed, and this one must not become a part of it.
        if failure.state == "25P02" { throw lost(failure.message) }
        failure.isCancellation = isCancelling && !isStopping && failure.state == "57014"
        throw failure
    }

    private func take(_ handle: OpaquePointer, of statement: PendingStatement) throws {
        switch PQresultStatus(handle) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            let result = QueryResult(handle)
            try statement.check?(result)
        case PGRES_PIPELINE_ABORTED:
            PQclear(handle)
            if let name = statement.prepares { statements.forget(name) }
            if let name = statement.evicts { statements.keep(name) }
            throw PostgresFailure(state: "25P02", message: "an earlier statement has failed", server: server)
        default:
            let state = PQresultErrorField(handle, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
            let primary = PQresultErrorField(handle, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
            let message = primary ?? PQresultErrorMessage(handle).map { String(cString: $0) } ?? ""
            // Unlike the message, the name of the server's function is not translated.
            let function = PQresultErrorField(handle, Int32(UInt8(ascii: "R"))).map { String(cString: $0) }
            PQclear(handle)
            if let name = statement.prepares { statements.forget(name) }
            // A pooler may have switched to another server connection.
            if state == "26000" { statements.reset() }
            var failure = PostgresFailure(
                state: state, message: parameters.redacted(message), server: server, statement: statement.statement)
            failure.isOfPolicy = function == "check_enable_rls"
            if failure.isRefusal { failure.advice = advice(for: failure) }
            throw failure
        }
    }
}

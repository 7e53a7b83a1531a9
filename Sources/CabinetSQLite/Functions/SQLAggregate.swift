import CSQLite
import Cabinet

/// An aggregate function over numbers, with the core's exact arithmetic, which does not depend on the order of the
/// rows.
struct SQLAggregate: Sendable {
    let name: String
    let aggregate: Aggregate

    static let all = [
        SQLAggregate(name: "cabinet_sum", aggregate: .sum), SQLAggregate(name: "cabinet_average", aggregate: .average),
    ]
}

extension DatabaseHandle {
    /// Registers aggregate functions with the connection.
    func add(_ aggregates: [SQLAggregate]) throws {
        for aggregate in aggregates {
            let box = Unmanaged.passRetained(RegisteredAggregate(aggregate.aggregate, functionFailure))
            let code = sqlite3_create_function_v2(
                pointer, aggregate.name, 1, SQLFunction.traits, box.toOpaque(), nil, addToAggregate, finishAggregate,
                { $0.map { Unmanaged<RegisteredAggregate>.fromOpaque($0).release() } })
            if code != SQLITE_OK { throw failure(code).error }
        }
    }
}

/// The object that SQLite keeps for an aggregate function.
private final class RegisteredAggregate {
    let aggregate: Aggregate
    let failure: SQLFunctionFailure

    init(_ aggregate: Aggregate, _ failure: SQLFunctionFailure) {
        self.aggregate = aggregate
        self.failure = failure
    }
}

/// The object that SQLite keeps for a group of rows.
private final class RunningAggregate {
    var accumulator: AggregateAccumulator

    init(_ aggregate: Aggregate) { accumulator = AggregateAccumulator(aggregate) }
}

/// Returns the registered function of a call.
private func registration(_ context: OpaquePointer?) -> RegisteredAggregate? {
    sqlite3_user_data(context).map { Unmanaged<RegisteredAggregate>.fromOpaque($0).takeUnretainedValue() }
}

private func addToAggregate(
    context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let registered = registration(context) else { return }
    // SQLite fills the memory with zeros, which is a null pointer.
    let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
    guard let memory = sqlite3_aggregate_context(context, size) else {
        return sqlite3_result_error_nomem(context)
    }
    let place = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    let running: RunningAggregate
    if let known = place.pointee {
        running = Unmanaged<RunningAggregate>.fromOpaque(known).takeUnretainedValue()
    } else {
        running = RunningAggregate(registered.aggregate)
        place.pointee = Unmanaged.passRetained(running).toOpaque()
    }
    do {
        let arguments = SQLArguments(context: context, values: values, count: Int(count))
        try running.accumulator.add(arguments.number(0))
    } catch {
        registered.failure.record(error, in: context)
    }
}

private func finishAggregate(context: OpaquePointer?) {
    // A group without rows has no memory. SQLite calls this once for each group, even if the statement fails.
    let memory = sqlite3_aggregate_context(context, 0)
    let known = memory?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
    let running = known.map { Unmanaged<RunningAggregate>.fromOpaque($0).takeRetainedValue() }
    guard let aggregate = registration(context)?.aggregate else { return sqlite3_result_null(context) }
    let accumulator = running?.accumulator ?? AggregateAccumulator(aggregate)
    SQLArguments.setResult(accumulator.result?.sqlValue, of: context)
}

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
            try register(aggregate.aggregate, aggregate.name, 1, step: addToAggregate, end: finishAggregate)
        }
    }
}

/// The object that SQLite keeps for a group of rows.
private final class RunningAggregate {
    var accumulator: AggregateAccumulator

    init(_ aggregate: Aggregate) { accumulator = AggregateAccumulator(aggregate) }
}

private func addToAggregate(
    context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let registered = RegisteredFunction<Aggregate>.of(context) else { return }
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
        running = RunningAggregate(registered.content)
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
    guard let aggregate = RegisteredFunction<Aggregate>.of(context)?.content else {
        return sqlite3_result_null(context)
    }
    let accumulator = running?.accumulator ?? AggregateAccumulator(aggregate)
    SQLArguments.setResult(accumulator.result?.sqlValue, of: context)
}

import Cabinet

/// The successive values of an observed aggregate.
struct AggregateProbe<Value: Sendable> {
    private var values: AggregateObservation<Value>.Iterator

    init(_ observation: AggregateObservation<Value>) {
        values = observation.makeAsyncIterator()
    }

    /// Waits for the next value.
    mutating func next() async throws -> Value {
        try require(try await values.next(), "The next value")
    }

    /// Waits for the next value, and throws unless it is the expected one.
    mutating func expectNext(
        _ value: Value, fileID: String = #fileID, line: Int = #line
    ) async throws where Value: Equatable {
        try expect("The value", try await next(), equals: value, fileID: fileID, line: line)
    }

    /// Waits for the next value, and throws unless it has the expected description.
    mutating func expectNext(
        described text: String, fileID: String = #fileID, line: Int = #line, _ describe: (Value) -> String
    ) async throws {
        try expect("The value", describe(try await next()), equals: text, fileID: fileID, line: line)
    }
}

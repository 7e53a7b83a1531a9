/// Somebody who does the work of all rows, in a store of their own.
///
/// What a program would have at hand before the work begins is made in the functions that prepare; they are not measured.
protocol Competitor {
    /// Makes the records of all lists and items.
    mutating func prepareInsertion(_ samples: Samples) async throws
    /// Inserts all lists in one batch.
    mutating func insertLists() async throws
    /// Inserts some of the items in one batch.
    mutating func insert(_ range: Range<Int>) async throws -> Answer
    /// Inserts items one after the other.
    mutating func insertSingly(_ items: [Samples.Item]) async throws -> Answer
    /// Fetches items by ID, so many a call.
    mutating func fetch(_ items: [Samples.Item], each: Int) async throws -> Answer
    /// The items of a list, sorted by name, a hundred at most.
    mutating func list(_ list: Int) async throws -> Answer
    /// Fetches items that shall be changed.
    mutating func prepareUpdate(_ items: [Samples.Item]) async throws
    /// Changes one field of some of them in one batch, unless somebody else has changed them since.
    mutating func update(_ range: Range<Int>, number: Int64) async throws -> Answer
    /// Remembers the last change.
    mutating func mark() async throws
    /// What changed since then, a thousand at most.
    mutating func changes() async throws -> Answer
    /// Deletes a list with its items.
    mutating func deleteList(_ list: Int) async throws -> Answer
    mutating func close() async
}

/// What was read or changed, by which a fast wrong answer is noticed.
struct Answer {
    var count: Int
    /// The lengths of names and lists and the numbers, added up. Adding is not measured for those who have records by then.
    var digest: () -> Int64 = { 0 }

    static func + (one: Answer, other: Answer) -> Answer {
        Answer(count: one.count + other.count) { one.digest() &+ other.digest() }
    }
}

/// Why there are no figures.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

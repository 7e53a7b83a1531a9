/// Somebody who does the work of all rows, in a store of their own.
///
/// What a program would have at hand before the work begins is made in the functions that prepare; they are not measured. The others
/// return how many records were read or changed, so that a fast wrong answer is noticed.
protocol Competitor {
    /// Makes the records of all lists and items.
    mutating func prepareInsertion(_ samples: Samples) async throws
    /// Inserts all of them, in batches.
    mutating func insert(batch: Int) async throws -> Int
    /// Inserts some more items, one after the other.
    mutating func insertSingly(_ count: Int) async throws -> Int
    /// Inserts some more items, from so many tasks at once.
    mutating func insertConcurrently(_ count: Int, tasks: Int) async throws -> Int
    /// Fetches items by ID, so many a call.
    mutating func fetch(_ items: [Samples.Item], each: Int) async throws -> Int
    /// The items of a list, sorted by name, a hundred at most.
    mutating func list(_ list: Int) async throws -> Int
    /// The items whose names begin so and whose numbers are greater, sorted by name, a hundred at most.
    mutating func prefix(_ prefix: String, number: Int64) async throws -> Int
    /// All items with a number, without an index.
    mutating func scan(number: Int64) async throws -> Int
    /// All items.
    mutating func iterate() async throws -> Int
    /// Fetches items that shall be changed.
    mutating func prepareUpdate(_ items: [Samples.Item]) async throws
    /// Changes one field of them, in batches, unless somebody else has changed them since.
    mutating func update(number: Int64, batch: Int) async throws -> Int
    /// Remembers the last change.
    mutating func mark() async throws
    /// What changed since then.
    mutating func changes() async throws -> Int
    /// Deletes a list with its items.
    mutating func deleteList(_ list: Int) async throws
    mutating func close() async
}

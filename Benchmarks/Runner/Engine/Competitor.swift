/// Somebody who does the work of rows, in a store of their own.
///
/// What a program would have at hand before the work begins is made in the functions that prepare; they are not measured. Who does
/// not take part in a row leaves out what it needs.
protocol Competitor: AnyObject {
    /// Opens a store by its name, and closes the one that was open.
    func open(_ name: String, isDurable: Bool) async throws
    func close() async throws
    /// Finishes what earlier writes have left to do, such as moving a log into a file, so that all begin the next ones alike.
    func settle() async throws
    /// The bytes of the open store on disk; it is closed for that, and opened again.
    func size() async throws -> Int

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws
    /// Inserts what was prepared, in batches.
    func insert(batch: Int) async throws
    /// Inserts the items that were prepared one by one, from so many tasks.
    func insertConcurrently(tasks: Int) async throws
    func prepareNotes(_ notes: [Samples.Note]) async throws
    func insertNotes(batch: Int) async throws

    func prepareFetch(_ items: [Samples.Item]) async throws
    /// Fetches the items that were prepared by their IDs, so many a call.
    func fetch(each: Int, _ tally: Tally) async throws
    /// The items of a list, sorted by name, a hundred at most.
    func list(_ list: Samples.List, _ tally: Tally) async throws
    /// The same, found by the list's name.
    func list(named name: String, _ tally: Tally) async throws
    /// The items whose names begin so and whose numbers are greater, sorted by name, a hundred at most.
    func prefix(_ prefix: String, number: Int64, _ tally: Tally) async throws
    /// All items with a number, without an index.
    func scan(number: Int64, _ tally: Tally) async throws
    /// All items.
    func iterate(_ tally: Tally) async throws
    /// Finds the place that so many items precede, sorted by name.
    func preparePage(after offset: Int) async throws
    /// A hundred items sorted by name, from the beginning or from the place that was prepared.
    func page(isFirst: Bool, _ tally: Tally) async throws
    /// The first hundred notes that have one of the words.
    func search(_ words: [String], _ tally: Tally) async throws

    func prepareUpdate(_ items: [Samples.Item]) async throws
    /// Changes a field of the items that were prepared, in batches, unless somebody else has changed them since.
    func update(number: Int64, batch: Int) async throws
    /// The same, whoever has changed them since.
    func updateFields(number: Int64, batch: Int) async throws
    /// Deletes a list with its items.
    func deleteList(_ list: Samples.List) async throws
    /// Remembers the last change.
    func mark() async throws
    /// What changed since then.
    func changes(_ tally: Tally) async throws

    /// Four readers of what was prepared to be fetched, or of the lists, and a writer of what was prepared to be updated.
    func contend(lists: [Samples.List]?, seconds: Double) async throws -> Contention
    /// Observes the items of lists until it is told otherwise.
    func observe(_ lists: [Samples.List]) async throws
    func stopObserving() async

    /// Reads all items, and keeps them.
    ///
    /// - Returns: The bytes that this takes for all of them.
    func hold(_ tally: Tally) async throws -> Int
    /// How the queries of the rows are found, by the row.
    func explanations(_ samples: Samples) async throws -> [String: String]
}

/// What readers and a writer have done beside each other.
struct Contention {
    var reads: Int
    var writes: Int
    var seconds: Double
}

/// Why there are no figures.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static let absent = BenchmarkFailure("This competitor does not take part in this row.")
}

extension Competitor {
    func settle() async throws {}
    func size() async throws -> Int { 0 }
    func insertConcurrently(tasks: Int) async throws { throw BenchmarkFailure.absent }
    func prepareNotes(_ notes: [Samples.Note]) async throws { throw BenchmarkFailure.absent }
    func insertNotes(batch: Int) async throws { throw BenchmarkFailure.absent }
    func list(named name: String, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func prefix(_ prefix: String, number: Int64, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func preparePage(after offset: Int) async throws { throw BenchmarkFailure.absent }
    func page(isFirst: Bool, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func search(_ words: [String], _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func updateFields(number: Int64, batch: Int) async throws { throw BenchmarkFailure.absent }
    func deleteList(_ list: Samples.List) async throws { throw BenchmarkFailure.absent }
    func mark() async throws { throw BenchmarkFailure.absent }
    func changes(_ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func contend(lists: [Samples.List]?, seconds: Double) async throws -> Contention { throw BenchmarkFailure.absent }
    /// Nobody observes but Cabinet: the others show what the same saves cost.
    func observe(_ lists: [Samples.List]) async throws {}
    func stopObserving() async {}
    func hold(_ tally: Tally) async throws -> Int { throw BenchmarkFailure.absent }
    func explanations(_ samples: Samples) async throws -> [String: String] { [:] }
}

/// A competitor, which does the work of rows in a store of its own.
///
/// Functions that prepare create values that a program has at hand before the work begins; they are not measured. A
/// competitor that does not take part in a row omits its functions.
protocol Competitor: AnyObject {
    /// Opens a store by its name, and closes the previous one.
    func open(_ name: String, isDurable: Bool) async throws
    func close() async throws
    /// Completes deferred work of earlier writes, such as a checkpoint, so that all competitors start the next ones
    /// equally.
    func settle() async throws
    /// The bytes of the open store on disk. The store is closed and reopened for the measurement.
    func size() async throws -> Int

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws
    /// Inserts the prepared items, in batches.
    func insert(batch: Int) async throws
    /// Inserts the prepared items one by one, from a given number of tasks.
    func insertConcurrently(tasks: Int) async throws
    /// Begins to observe the items of a list, if the competitor can.
    func prepareObservation(of list: Samples.List) async throws
    /// Inserts the prepared items of the observed list one by one, and waits for each until the list's items contain it.
    ///
    /// A competitor that cannot observe reads the list's items again.
    ///
    /// - Returns: The seconds from each commit to the items.
    func insertObserved(_ list: Samples.List) async throws -> [Double]
    /// Begins to observe how many items have a smaller number, if the competitor can.
    func prepareObservation(ofCountBelow number: Int64) async throws
    /// Inserts the prepared items one by one, and waits after each that has a smaller number for the new count of those.
    ///
    /// A competitor that cannot observe counts them again.
    ///
    /// - Returns: The seconds from each such commit to the count.
    func insertCounted(below number: Int64) async throws -> [Double]
    func prepareNotes(_ notes: [Samples.Note]) async throws
    func insertNotes(batch: Int) async throws

    func prepareFetch(_ items: [Samples.Item]) async throws
    /// Fetches the prepared items by their IDs, a given number per call.
    func fetch(each: Int, _ tally: Tally) async throws
    /// The items of a list, sorted by name, a hundred at most.
    func list(_ list: Samples.List, _ tally: Tally) async throws
    /// The same, found by the list's name.
    func list(named name: String, _ tally: Tally) async throws
    /// The items with this prefix of the name and a greater number, sorted by name, a hundred at most.
    func prefix(_ prefix: String, number: Int64, _ tally: Tally) async throws
    /// All items with a number, without an index.
    func scan(number: Int64, _ tally: Tally) async throws
    /// All items.
    func iterate(_ tally: Tally) async throws
    /// Finds the position after this many items, sorted by name.
    func preparePage(after offset: Int) async throws
    /// A hundred items sorted by name, from the beginning or from the prepared position.
    func page(isFirst: Bool, _ tally: Tally) async throws
    /// The first hundred notes that have one of the words.
    func search(_ words: [String], _ tally: Tally) async throws
    /// The first thousand notes that have a word, and one that begins so, by relevance.
    func search(_ word: String, beginning: String, _ tally: Tally) async throws

    func prepareUpdate(_ items: [Samples.Item]) async throws
    /// Changes a field of the prepared items, in batches, unless another writer has changed them since.
    func update(number: Int64, batch: Int) async throws
    /// The same, even if another writer has changed them since.
    func updateFields(number: Int64, batch: Int) async throws
    /// Reads two of the prepared items and changes a field of both, in one transaction for each pair.
    func changePairs(number: Int64, _ tally: Tally) async throws
    /// Deletes a list with its items.
    func deleteList(_ list: Samples.List) async throws
    /// Stores the number of the last change.
    func mark() async throws
    /// The changes since then.
    func changes(_ tally: Tally) async throws

    /// Leaves the share, and accepts it again; or ends it, and shares again.
    func beginAndEndShares(times: Int) async throws
    /// Shares this many further zones.
    func prepareShares(_ count: Int) async throws
    /// All zones, by the feed of the database.
    func changedZones(_ tally: Tally) async throws

    /// Saves the prepared records where they wait to be sent to a server; or does nothing.
    func prepareSend() async throws
    /// Sends these records; or saves them.
    func send() async throws
    /// Sends everything to the server, if there is one.
    func prepareCopy() async throws
    /// Fetches all records of the server into a new store; or copies those of the own store.
    func copy(to name: String) async throws

    /// Four readers of prepared items or lists, and a writer of prepared items.
    func contend(lists: [Samples.List]?, seconds: Double) async throws -> Contention
    /// Observes the items of lists until the observation is cancelled.
    func observe(_ lists: [Samples.List]) async throws
    func stopObserving() async

    /// Reads a field of each held item, several times.
    func readFields(times: Int, _ tally: Tally) async throws
    /// Reads all items, and keeps them.
    ///
    /// - Returns: The memory of all items, in bytes.
    func hold(_ tally: Tally) async throws -> Int
    /// The access paths of the rows' queries, by row.
    func explanations(_ samples: Samples) async throws -> [String: String]
}

/// The results of concurrent readers and a writer.
struct Contention {
    var reads: Int
    var writes: Int
    var seconds: Double
}

/// A reason for missing figures.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static let absent = BenchmarkFailure("This competitor does not take part in this row.")
}

extension Competitor {
    func settle() async throws {}
    func size() async throws -> Int { 0 }
    func insertConcurrently(tasks: Int) async throws { throw BenchmarkFailure.absent }
    func prepareObservation(of list: Samples.List) async throws {}
    func insertObserved(_ list: Samples.List) async throws -> [Double] { throw BenchmarkFailure.absent }
    func prepareObservation(ofCountBelow number: Int64) async throws {}
    func insertCounted(below number: Int64) async throws -> [Double] { throw BenchmarkFailure.absent }
    func prepareNotes(_ notes: [Samples.Note]) async throws { throw BenchmarkFailure.absent }
    func insertNotes(batch: Int) async throws { throw BenchmarkFailure.absent }
    func list(named name: String, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func prefix(_ prefix: String, number: Int64, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func preparePage(after offset: Int) async throws { throw BenchmarkFailure.absent }
    func page(isFirst: Bool, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func search(_ words: [String], _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func search(_ word: String, beginning: String, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func updateFields(number: Int64, batch: Int) async throws { throw BenchmarkFailure.absent }
    func changePairs(number: Int64, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func deleteList(_ list: Samples.List) async throws { throw BenchmarkFailure.absent }
    func mark() async throws { throw BenchmarkFailure.absent }
    func changes(_ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func beginAndEndShares(times: Int) async throws { throw BenchmarkFailure.absent }
    func prepareShares(_ count: Int) async throws { throw BenchmarkFailure.absent }
    func changedZones(_ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func prepareSend() async throws { throw BenchmarkFailure.absent }
    func send() async throws { throw BenchmarkFailure.absent }
    func prepareCopy() async throws { throw BenchmarkFailure.absent }
    func copy(to name: String) async throws { throw BenchmarkFailure.absent }
    func contend(lists: [Samples.List]?, seconds: Double) async throws -> Contention { throw BenchmarkFailure.absent }
    /// Only Cabinet observes queries: the others show the cost of the same saves.
    func observe(_ lists: [Samples.List]) async throws {}
    func stopObserving() async {}
    func readFields(times: Int, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func hold(_ tally: Tally) async throws -> Int { throw BenchmarkFailure.absent }
    func explanations(_ samples: Samples) async throws -> [String: String] { [:] }
}

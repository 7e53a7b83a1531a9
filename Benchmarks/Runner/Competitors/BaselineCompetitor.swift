import BenchmarkBaseline
import Foundation

/// Plain C on SQLite.
final class BaselineCompetitor: Competitor {
    private let folder: URL
    private let isTuned: Bool
    private var store: OpaquePointer?
    private var current: (name: String, isDurable: Bool) = ("", false)
    private var lists = CItems([Samples.List]())
    private var items = CItems([Samples.Item]())
    private var notes = CItems([Samples.Note]())
    private var fetched = CStrings([])
    private var updated = CStrings([])
    private var lastChange: Int64 = 0
    private var position: (name: String, id: String) = ("", "")

    init(folder: URL, isTuned: Bool) {
        self.folder = folder
        self.isTuned = isTuned
    }

    private var path: String { folder.appending(path: current.name).path }

    func open(_ name: String, isDurable: Bool) async throws {
        try await close()
        current = (name, isDurable)
        store = baseline_open(path, isTuned ? 1 : 0, isDurable ? 1 : 0)
        if store == nil { throw BenchmarkFailure("The baseline cannot open \(path).") }
    }

    func close() async throws {
        baseline_close(store)
        store = nil
    }

    func settle() async throws { try check(baseline_checkpoint(path)) }

    func size() async throws -> Int {
        try await close()
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        try await open(current.name, isDurable: current.isDurable)
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }

    private func check(_ code: Int32) throws {
        if code != 0 {
            let reason = store.map { String(cString: baseline_failure($0)) } ?? "it is closed"
            throw BenchmarkFailure("The baseline failed: \(reason)")
        }
    }

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws {
        self.lists = CItems(lists)
        self.items = CItems(items)
    }

    func insert(batch: Int) async throws {
        try check(baseline_insert_lists(store, lists.items, lists.count))
        try check(baseline_insert_items(store, items.items, items.count, Int32(batch)))
    }

    /// C has one connection: its tasks take turns.
    func insertConcurrently(tasks: Int) async throws { try await insert(batch: 1) }

    /// C cannot observe: it runs the query again.
    func insertObserved(_ list: Samples.List) async throws -> [Double] {
        var waits: [Double] = []
        for item in items.items {
            try check(withUnsafePointer(to: item) { baseline_insert_items(store, $0, 1, 1) })
            let start = ContinuousClock.now
            var tally = baseline_tally()
            try check(baseline_list(store, list.id, 1_000, &tally))
            waits.append(start.duration(to: .now).seconds)
        }
        return waits
    }

    /// C cannot observe: it counts again.
    func insertCounted(below number: Int64) async throws -> [Double] {
        var waits: [Double] = []
        for item in items.items {
            try check(withUnsafePointer(to: item) { baseline_insert_items(store, $0, 1, 1) })
            if item.number >= number { continue }
            let start = ContinuousClock.now
            var count: Int64 = 0
            try check(baseline_count_below(store, number, &count))
            waits.append(start.duration(to: .now).seconds)
        }
        return waits
    }

    func prepareNotes(_ notes: [Samples.Note]) async throws { self.notes = CItems(notes) }

    func insertNotes(batch: Int) async throws {
        try check(baseline_insert_notes(store, notes.items, notes.count, Int32(batch)))
    }

    func prepareFetch(_ items: [Samples.Item]) async throws { fetched = CStrings(items.map(\.id)) }

    func fetch(each: Int, _ tally: Tally) async throws {
        try check(baseline_fetch(store, fetched.pointers, fetched.count, &tally.counts))
    }

    func list(_ list: Samples.List, _ tally: Tally) async throws {
        try check(baseline_list(store, list.id, 100, &tally.counts))
    }

    func list(named name: String, _ tally: Tally) async throws {
        try check(baseline_list_named(store, name, 100, &tally.counts))
    }

    func prefix(_ prefix: String, number: Int64, _ tally: Tally) async throws {
        try check(baseline_prefix(store, prefix, prefix + "\u{10FFFF}", number, 100, &tally.counts))
    }

    func scan(number: Int64, _ tally: Tally) async throws {
        try check(baseline_scan(store, number, &tally.counts))
    }

    func iterate(_ tally: Tally) async throws { try check(baseline_iterate(store, &tally.counts)) }

    func preparePage(after offset: Int) async throws {
        // The position does not depend on concurrent inserts and deletions, like a cursor.
        guard position.id.isEmpty else { return }
        var (name, id) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 64))
        try check(baseline_place(store, Int64(offset - 1), &name, &id))
        position = (Self.text(name), Self.text(id))
    }

    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func page(isFirst: Bool, _ tally: Tally) async throws {
        try check(baseline_page(store, isFirst ? "" : position.name, isFirst ? "" : position.id, 100, &tally.counts))
    }

    func search(_ words: [String], _ tally: Tally) async throws {
        try check(baseline_search(store, words.joined(separator: " OR "), 100, &tally.counts))
    }

    func search(_ word: String, beginning: String, _ tally: Tally) async throws {
        try check(baseline_rank(store, "\(word) AND \(beginning)*", 1_000, &tally.counts))
    }

    func prepareUpdate(_ items: [Samples.Item]) async throws { updated = CStrings(items.map(\.id)) }

    func update(number: Int64, batch: Int) async throws {
        try check(baseline_update(store, updated.pointers, updated.count, Int32(batch), number))
    }

    func updateFields(number: Int64, batch: Int) async throws {
        try check(baseline_update_fields(store, updated.pointers, updated.count, Int32(batch), number))
    }

    func changePairs(number: Int64, _ tally: Tally) async throws {
        try check(baseline_change_pairs(store, updated.pointers, updated.count, number, &tally.counts))
    }

    func deleteList(_ list: Samples.List) async throws {
        if baseline_delete_list(store, list.id) < 0 { try check(1) }
    }

    func mark() async throws { lastChange = baseline_last_change(store) }

    func changes(_ tally: Tally) async throws { try check(baseline_changes(store, lastChange, &tally.counts)) }

    func contend(lists: [Samples.List]?, seconds: Double) async throws -> Contention {
        let read = lists.map { CStrings($0.map(\.id)) } ?? fetched
        return try read.pointers.withUnsafeBufferPointer { reads in
            try updated.pointers.withUnsafeBufferPointer { writes in
                try path.withCString { path in
                    var contention = baseline_contention()
                    contention.path = path
                    contention.tuned = isTuned ? 1 : 0
                    contention.readers = 4
                    contention.read_ids = reads.baseAddress
                    contention.read_count = Int32(reads.count)
                    contention.reads_lists = lists == nil ? 0 : 1
                    contention.written_ids = writes.baseAddress
                    contention.written_count = Int32(writes.count)
                    contention.batch = 100
                    contention.seconds = seconds
                    if baseline_contend(&contention) != 0 {
                        throw BenchmarkFailure("\(contention.failures) of the baseline's reads and writes failed.")
                    }
                    return Contention(
                        reads: Int(contention.reads), writes: Int(contention.writes), seconds: contention.elapsed)
                }
            }
        }
    }
}

import BenchmarkBaseline
import Foundation

/// Plain C on SQLite.
struct BaselineCompetitor: Competitor {
    private let store: OpaquePointer
    private var lists = CStrings([])
    private var listNames = CStrings([])
    private var items: [baseline_item] = []
    private var texts: [CStrings] = []
    private var updated = CStrings([])
    private var last: Int64 = 0
    /// How many items were inserted beyond the samples.
    private var extra = 0

    init(path: String, isTuned: Bool, isDurable: Bool) throws {
        guard let store = baseline_open(path, isTuned ? 1 : 0, isDurable ? 1 : 0) else {
            throw BenchmarkFailure("The baseline cannot open \(path).")
        }
        self.store = store
    }

    mutating func prepareInsertion(_ samples: Samples) {
        lists = CStrings(samples.lists.map(\.id))
        listNames = CStrings(samples.lists.map(\.name))
        items = rows(samples.items)
    }

    private mutating func rows(_ items: [Samples.Item]) -> [baseline_item] {
        let ids = CStrings(items.map(\.id))
        let names = CStrings(items.map(\.name))
        texts += [ids, names]
        return items.enumerated().map { index, item in
            baseline_item(
                id: ids.pointers[index], name: names.pointers[index], number: item.number,
                list: lists.pointers[item.list])
        }
    }

    mutating func insert(batch: Int) throws -> Int {
        try check(baseline_insert_lists(store, lists.pointers, listNames.pointers, Int32(lists.pointers.count)))
        try check(baseline_insert_items(store, items, Int32(items.count), Int32(batch)))
        return items.count
    }

    mutating func insertSingly(_ count: Int) throws -> Int {
        let rows = rows(Samples.more(count, after: &extra, lists: lists.pointers.count))
        try check(baseline_insert_items(store, rows, Int32(rows.count), 1))
        return rows.count
    }

    /// C has one connection: its tasks take turns.
    mutating func insertConcurrently(_ count: Int, tasks: Int) throws -> Int { try insertSingly(count) }

    mutating func fetch(_ items: [Samples.Item], each: Int) -> Int {
        let ids = CStrings(items.map(\.id))
        return baseline_fetch(store, ids.pointers, Int32(items.count)) == 0 ? 0 : items.count
    }

    mutating func list(_ list: Int) -> Int {
        var digest: Int64 = 0
        return Int(baseline_list(store, lists.pointers[list], 100, &digest))
    }

    mutating func prefix(_ prefix: String, number: Int64) -> Int {
        var digest: Int64 = 0
        return Int(baseline_prefix(store, prefix, prefix + "\u{10FFFF}", number, 100, &digest))
    }

    mutating func scan(number: Int64) -> Int {
        var digest: Int64 = 0
        return Int(baseline_scan(store, number, &digest))
    }

    mutating func iterate() -> Int {
        var digest: Int64 = 0
        return Int(baseline_iterate(store, &digest))
    }

    mutating func prepareUpdate(_ items: [Samples.Item]) { updated = CStrings(items.map(\.id)) }

    mutating func update(number: Int64, batch: Int) throws -> Int {
        let count = updated.pointers.count
        try check(baseline_update(store, updated.pointers, Int32(count), Int32(batch), number))
        return count
    }

    mutating func mark() { last = baseline_last_change(store) }

    mutating func changes() -> Int {
        var digest: Int64 = 0
        return Int(baseline_changes(store, last, .max, &digest))
    }

    mutating func deleteList(_ list: Int) throws {
        if baseline_delete_list(store, lists.pointers[list]) < 0 { throw BenchmarkFailure("The baseline failed.") }
    }

    mutating func close() { baseline_close(store) }

    private func check(_ code: Int32) throws {
        if code != 0 { throw BenchmarkFailure("The baseline failed with \(code).") }
    }
}

/// Texts as C takes them, for as long as this lives.
final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) {
        pointers = texts.map { UnsafePointer(strdup($0)) }
    }

    deinit {
        for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
    }
}

/// Why there are no figures.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

import Foundation
import PostgresBaseline

/// Plain C on libpq in pipeline mode.
struct PlainCompetitor: Competitor {
    private let store: OpaquePointer
    private var lists = CStrings([])
    private var listNames = CStrings([])
    private var items: [postgres_item] = []
    private var texts: [CStrings] = []
    private var updated = CStrings([])
    private var tags: [CChar] = []
    private var last: Int64 = 0

    init(connection: String) throws {
        guard let store = postgres_open(connection) else {
            throw BenchmarkFailure("The baseline cannot open \(connection).")
        }
        self.store = store
    }

    /// Runs a statement that is no part of the work.
    func run(_ statement: String) throws { try check(postgres_run(store, statement)) }

    mutating func prepareInsertion(_ samples: Samples) {
        lists = CStrings(samples.lists.map(\.id))
        listNames = CStrings(samples.lists.map(\.name))
        items = rows(samples.items)
    }

    private mutating func rows(_ items: [Samples.Item]) -> [postgres_item] {
        let ids = CStrings(items.map(\.id))
        let names = CStrings(items.map(\.name))
        texts += [ids, names]
        return items.enumerated().map { index, item in
            postgres_item(
                id: ids.pointers[index], name: names.pointers[index], number: item.number,
                list: lists.pointers[item.list])
        }
    }

    mutating func insertLists() throws {
        try check(postgres_insert_lists(store, lists.pointers, listNames.pointers, Int32(lists.pointers.count)))
    }

    mutating func insert(_ range: Range<Int>) throws -> Answer {
        try items[range].withUnsafeBufferPointer { batch in
            try check(postgres_insert_items(store, batch.baseAddress, Int32(batch.count)))
        }
        return Answer(count: range.count)
    }

    mutating func insertSingly(_ items: [Samples.Item]) throws -> Answer {
        for row in rows(items) {
            try withUnsafePointer(to: row) { try check(postgres_insert_items(store, $0, 1)) }
        }
        return Answer(count: items.count)
    }

    mutating func fetch(_ items: [Samples.Item], each: Int) throws -> Answer {
        let ids = CStrings(items.map(\.id))
        return try answer { digest in
            withExtendedLifetime(ids) {
                if each == 1 { return postgres_fetch(store, ids.pointers, Int32(items.count), &digest) }
                var count: Int32 = 0
                for start in stride(from: 0, to: items.count, by: each) {
                    let part = ids.pointers[start..<min(start + each, items.count)]
                    count += part.withUnsafeBufferPointer {
                        postgres_fetch_all(store, $0.baseAddress, Int32($0.count), &digest)
                    }
                }
                return count
            }
        }
    }

    mutating func list(_ list: Int) throws -> Answer {
        try answer { postgres_list(store, lists.pointers[list], &$0) }
    }

    mutating func prepareUpdate(_ items: [Samples.Item]) throws {
        updated = CStrings(items.map(\.id))
        tags = Array(repeating: 0, count: items.count * POSTGRES_TAG)
        try check(postgres_tags(store, updated.pointers, Int32(items.count), &tags))
    }

    mutating func update(_ range: Range<Int>, number: Int64) throws -> Answer {
        let code = updated.pointers[range].withUnsafeBufferPointer { ids in
            tags.withUnsafeMutableBufferPointer { tags in
                postgres_update(
                    store, ids.baseAddress, tags.baseAddress.map { $0 + range.lowerBound * POSTGRES_TAG },
                    Int32(ids.count), number + Int64(range.lowerBound))
            }
        }
        try check(code)
        return Answer(count: range.count)
    }

    mutating func mark() { last = postgres_last_change(store) }

    mutating func changes() throws -> Answer { try answer { postgres_changes(store, last, 1000, &$0) } }

    mutating func deleteList(_ list: Int) throws -> Answer {
        let count = postgres_delete_list(store, lists.pointers[list])
        try check(count < 0 ? count : 0)
        return Answer(count: 1)
    }

    mutating func close() { postgres_close(store) }

    private func answer(_ work: (inout Int64) -> Int32) throws -> Answer {
        var digest: Int64 = 0
        let count = work(&digest)
        try check(count < 0 ? count : 0)
        return Answer(count: Int(count)) { [digest] in digest }
    }

    private func check(_ code: Int32) throws {
        if code != 0 { throw BenchmarkFailure("The baseline failed: \(String(cString: postgres_error(store)))") }
    }
}

/// Texts as C takes them, for as long as this lives.
private final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) {
        pointers = texts.map { UnsafePointer(strdup($0)) }
    }

    deinit {
        for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
    }
}

/// A dictionary of structs, like the one of a program that keeps its records in memory without a library.
///
/// It has no change log, no references and no rules, and supports only one task at a time.
final class DictionaryCompetitor: Competitor {
    /// The fields of a record.
    struct Item {
        var id: String
        var name: String
        var number: Int64
        var list: String
        var createdAt: Double
        var modifiedAt: Double
        var changeTag: String
        var creator: String
    }

    private var lists: [String: Item] = [:]
    private var items: [String: Item] = [:]
    private var newLists: [Item] = []
    private var newItems: [Item] = []
    private var fetched: [String] = []
    private var updated: [Item] = []
    private var tag = 0

    func open(_ name: String, isDurable: Bool) async throws {}
    func close() async throws {}

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws {
        newLists = lists.map { Self.item(Samples.Item(id: $0.id, name: $0.name, number: 0, list: "")) }
        newItems = items.map(Self.item)
    }

    private static func item(_ item: Samples.Item) -> Item {
        Item(
            id: item.id, name: item.name, number: item.number, list: item.list, createdAt: 0, modifiedAt: 0,
            changeTag: "", creator: "_default_user")
    }

    func insert(batch: Int) async throws {
        for list in newLists { lists[list.id] = stamped(list, isNew: true) }
        for item in newItems {
            if items[item.id] != nil { throw BenchmarkFailure("The item exists already.") }
            items[item.id] = stamped(item, isNew: true)
        }
    }

    private func stamped(_ item: Item, isNew: Bool) -> Item {
        var item = item
        tag += 1
        item.changeTag = String(tag, radix: 16)
        item.modifiedAt = 790_000_000.25
        if isNew { item.createdAt = item.modifiedAt }
        return item
    }

    func prepareFetch(_ items: [Samples.Item]) async throws { fetched = items.map(\.id) }

    func fetch(each: Int, _ tally: Tally) async throws {
        for start in stride(from: 0, to: fetched.count, by: each) {
            var found: [Item] = []
            for id in fetched[start..<min(start + each, fetched.count)] {
                if let item = items[id] { found.append(item) }
            }
            tally.add(found)
        }
    }

    func list(_ list: Samples.List, _ tally: Tally) async throws {
        let id = list.id
        let found = find { $0.list == id }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        tally.add(Array(found.prefix(100)))
    }

    func scan(number: Int64, _ tally: Tally) async throws { tally.add(find { $0.number == number }) }

    /// The items that match a filter, which is not known at compile time.
    @inline(never)
    private func find(_ filter: (Item) -> Bool) -> [Item] {
        var found: [Item] = []
        for item in items.values where filter(item) { found.append(item) }
        return found
    }

    func iterate(_ tally: Tally) async throws { tally.add(Array(items.values)) }

    func hold(_ tally: Tally) async throws -> Int {
        func copy(_ text: String) -> String { String(decoding: Array(text.utf8), as: UTF8.self) }
        let before = ProcessUsage.allocatedBytes
        let held = items.values.map { item in
            Item(
                id: copy(item.id), name: copy(item.name), number: item.number, list: copy(item.list),
                createdAt: item.createdAt, modifiedAt: item.modifiedAt, changeTag: copy(item.changeTag),
                creator: copy(item.creator))
        }
        let bytes = ProcessUsage.allocatedBytes - before
        tally.add(held)
        return bytes
    }

    func prepareUpdate(_ items: [Samples.Item]) async throws { updated = items.compactMap { self.items[$0.id] } }

    func update(number: Int64, batch: Int) async throws {
        for index in updated.indices {
            updated[index].number = number + Int64(index)
            let item = updated[index]
            guard items[item.id]?.changeTag == item.changeTag else {
                throw BenchmarkFailure("An item was changed by another writer.")
            }
            items[item.id] = stamped(item, isNew: false)
        }
    }
}

extension Tally {
    /// Counts items, and digests their content.
    fileprivate func add(_ items: [DictionaryCompetitor.Item]) {
        guard isDigesting else { return count(items.count) }
        for item in items { add(id: item.id, name: item.name, number: item.number, list: item.list) }
    }
}

import Cabinet
import Foundation
import Testing

// snippet: declarations
struct Products: RecordFields {
    static let recordType = "Products"
    let name = Field<String>("name", index: [.searchable, .sortable])
    let position = Field<Double>("position", index: .sortable)
    let views = Field<Int>("views", default: 0)
    let deletedAt = Field<Date?>("deletedAt")
}
typealias Product = Typed<Products>
// end

// snippet: pager
/// Loads the records of a table page by page, as a list is scrolled.
@MainActor
final class Pager {
    private(set) var products: [Product] = []
    private(set) var hasMore = true

    private let table: Table<Products>
    private var cursor: Query.Cursor?
    private var isLoading = false

    init(_ table: Table<Products>) { self.table = table }

    /// Loads the next page; call it when the last row appears.
    func loadMore() async throws {
        if isLoading || !hasMore { return }
        isLoading = true
        defer { isLoading = false }
        let page =
            if let cursor {
                try await table.page(after: cursor, limit: 50)
            } else {
                try await table.page(by: \.name, limit: 50)
            }
        products += page.items
        cursor = page.cursor
        hasMore = cursor != nil
    }
}
// end

// snippet: search
/// Searches while the user types, and drops outdated results.
@MainActor
final class Search {
    private(set) var results: [Product] = []
    private let table: Table<Products>
    private var task: Task<Void, any Error>?

    init(_ table: Table<Products>) { self.table = table }

    func textDidChange(to text: String) {
        task?.cancel()
        task = Task {
            try await Task.sleep(for: .milliseconds(200))
            let found = try await table.all(
                where: { product in
                    product.name.hasPrefix(
                        text,
                        options: [.caseInsensitive, .diacriticInsensitive])
                }, by: \.name, limit: 20)
            try Task.checkCancellation()
            results = found
        }
    }
}
// end

// snippet: views
struct Views: RecordFields {
    static let recordType = "Views"
    let product = Link<Products>("product", onDelete: .deleteSelf)
}
// end

// snippet: members
struct Members: RecordFields {
    static let recordType = "Members"
    let address = Field<String>("address")
}
// end

// snippet: settings
struct Settings: RecordFields {
    static let recordType = "Settings"
    let theme = Field<String?>("theme")
    let fontSize = Field<Int?>("fontSize")
}
// end

@Suite("The recipes: their programs run", .timeLimit(.minutes(15)))
struct Recipes {
    private let database: Database
    private let products: Table<Products>

    init() throws {
        database = try Container(identifier: "com.example.recipes", backend: MemoryBackend()).privateDatabase
        products = database.table(Products.self)
    }

    @discardableResult
    private func saveProducts(_ names: [String]) async throws -> [Product] {
        try await products.save(
            names.enumerated().map { index, name in
                var product = products.make()
                product.name = name
                product.position = Double(index + 1)
                return product
            })
    }

    @Test @MainActor func pages() async throws {
        try await saveProducts((1...120).map { "\($0)" })
        let pager = Pager(products)
        var counts: [Int] = []
        while pager.hasMore {
            try await pager.loadMore()
            counts.append(pager.products.count)
        }
        #expect(counts == [50, 100, 120])
    }

    @Test @MainActor func searching() async throws {
        try await saveProducts(["Milk", "Millet", "Bread"])
        let search = Search(products)
        for text in ["b", "m", "mil"] { search.textDidChange(to: text) }
        while search.results.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(search.results.map(\.name) == ["Milk", "Millet"])
    }

    @Test func words() async throws {
        try await saveProducts(["Oat milk", "Bread", "Milky oats"])
        let text = "milk oat"
        // snippet: words
        let found = try await products.all(
            where: { $0.search(text) }, by: \.relevance, limit: 20)
        // end
        #expect(found.map(\.name) == ["Oat milk"])
    }

    @Test func counters() async throws {
        let product = try await saveProducts(["Milk"])[0]
        // snippet: counter
        let saved = try await products.update(product.id) { $0.views += 1 }
        // end
        #expect(saved.views == 1)
        var (first, second) = (product, try await saveProducts(["Bread"])[0])
        try await products.update(second.id) { $0.position = 7 }

        // snippet: transaction
        try await database.transaction { t in
            var one = try await t.record(for: first.id)
            var other = try await t.record(for: second.id)
            (one.position, other.position) = (other.position, one.position)
            try t.save([one, other])
        }
        // end
        (first, second) = (try await products.record(for: first.id), try await products.record(for: second.id))
        #expect(first.position == 7 && second.position == product.position)

        // snippet: manyCounters
        let views = database.table(Views.self)
        try await views.save { $0.product = product.id }

        let count = try await views.count { $0.product == product.id }
        // end
        #expect(count == 1)
    }

    @Test func order() async throws {
        let saved = try await saveProducts(["Milk", "Bread", "Wine"])
        var (moved, previous, next) = (saved[2], saved[0], saved[1])
        // snippet: move
        moved.position = (previous.position + next.position) / 2
        moved = try await products.save(moved)
        // end
        (previous, next) = (next, previous)
        // snippet: order
        let inOrder = try await products.all(by: \.position)
        // end
        #expect(inOrder.map(\.name) == ["Milk", "Wine", "Bread"])
        // snippet: renumber
        var all = try await products.all(by: \.position)
        for index in all.indices { all[index].position = Double(index) }
        all = try await products.save(all)
        // end
        #expect(all.map(\.position) == [0, 1, 2])
        #expect(try await products.all(by: \.position).map(\.name) == ["Milk", "Wine", "Bread"])
    }

    @Test func softDeletion() async throws {
        let product = try await saveProducts(["Milk", "Bread"])[0]
        // snippet: trash
        try await products.update(product.id) { $0.deletedAt = .now }
        let kept = try await products.all(where: { $0.deletedAt == nil })
        // end
        #expect(kept.map(\.name) == ["Bread"])

        let limit = Date(timeIntervalSinceNow: 60)
        // snippet: purge
        let old = try await products.all(
            where: { $0.deletedAt < limit }, desiredFields: { _ in [] })
        _ = try await products.modify(saving: [], deleting: old.map(\.id))
        // end
        #expect(old.count == 1)
        #expect(try await products.count() == 1)
    }

    @Test func uniqueness() async throws {
        let members = database.table(Members.self)
        let address = "anna@example.com"
        // snippet: unique
        do {
            try await members.save(named: "address-\(address)") {
                $0.address = address
            }
        } catch CabinetError.Code.serverRecordChanged {
            print("\(address) is taken.")
        }
        // end
        #expect(try await members.all().map(\.address) == [address])
        await #expect {
            try await members.save(named: "address-\(address)") { $0.address = address }
        } throws: {
            CabinetError.Code.serverRecordChanged ~= $0
        }
    }

    @Test func upserts() async throws {
        let table = database.table(Settings.self)
        try await table.save(named: "settings") { $0.fontSize = 14 }
        // snippet: upsert
        var settings = table.make(named: "settings")
        settings.theme = "dark"
        settings = try await table.save(settings, savePolicy: .changedKeys)
        // end
        #expect(settings.theme == "dark" && settings.fontSize == 14)
    }
}

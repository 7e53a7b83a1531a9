import Cabinet
import Foundation
import Testing

@testable import CabinetSQLite

/// The pages that the commit of a single record appends to the write-ahead log.
@Suite struct CommitPagesTests {
    /// The pages of a record without references and indexes: its row, its name, and the entries.
    private static let plain = 3
    /// The pages of an item: also its reference, and two indexes.
    private static let item = plain + 3

    private static func pages(of path: String) throws -> Int {
        // The log begins with 32 bytes, and each page with 24.
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        return (try #require(size) - 32) / (4096 + 24)
    }

    @Test(arguments: [true, false])
    func aSaveWritesFewPages(isItem: Bool) async throws {
        let store = try await CountedStore()
        var pages: [Int] = []
        for number in 0..<40 {
            var record = CountedStore.item(1_000 + number, of: 11)
            if !isItem { record = Record(recordType: "Lists", recordID: CountedStore.listID(1_000 + number)) }
            let before = try Self.pages(of: store.path)
            try await store.database.save(record)
            pages.append(try Self.pages(of: store.path) - before)
        }
        // Now and then a page is full, and is split.
        let median = pages.sorted()[pages.count / 2]
        #expect(median == (isItem ? Self.item : Self.plain), "\(pages)")
        #expect(pages.reduce(0, +) <= (isItem ? 300 : 160), "\(pages)")
    }
}

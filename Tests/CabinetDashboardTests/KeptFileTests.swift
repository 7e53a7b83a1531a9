import Cabinet
import CabinetServer
import Foundation
import Synchronization
import Testing

@testable import CabinetDashboard

@Suite("Chosen files over several forms")
struct KeptFileTests {
    private static let id: KeyValuePairs = ["name": "penny"]

    private func visitor() async throws -> DashboardVisitor {
        let visitor = try await DashboardVisitor()
        try await visitor.database.apply(
            Schema(recordTypes: [
                "Coins": .init(fields: [
                    "name": .init(.string), "year": .init(.int64), "photo": .init(.asset),
                    "pages": .init(.list(of: .asset)),
                ])
            ]))
        var record = Record(recordType: "Coins", recordID: "penny")
        record["name"] = "Penny"
        record["photo"] = Asset(data: Data("old".utf8))
        try await visitor.database.save(record)
        return visitor
    }

    private func change(_ visitor: DashboardVisitor, _ key: String, _ value: any RecordValue) async throws {
        var record = try await visitor.database.record(for: "penny")
        record[key] = value
        try await visitor.database.save(record)
    }

    private func bytes(_ visitor: DashboardVisitor, _ key: String = "photo") async throws -> String {
        let asset: Asset? = try await visitor.database.record(for: "penny")[key]
        return String(decoding: try await asset?.data() ?? Data(), as: UTF8.self)
    }

    @Test("A conflict keeps a chosen file, shows the three assets, and saves the file with the next form")
    func conflict() async throws {
        let visitor = try await visitor()
        let shown = try await visitor.page("record", Self.id)
        let (tag, was) = (try #require(shown.hidden("tag")), try #require(shown.hidden("was.photo")))
        try await change(visitor, "photo", Asset(data: Data("another".utf8)))
        let page = try await visitor.upload(
            "record", Self.id, ["tag": tag, "was.photo": was.replacing("&quot;", with: "\"")],
            files: [("file.photo", "new <b>.png", "the new one"), ("file.pages", "1.txt", "page")], status: 409)
        #expect(page.contains("<td>3 bytes</td><td>7 bytes</td><td>11 bytes</td>"))
        #expect(
            page.contains("Use new &lt;b&gt;.png (11 bytes)")
                && page.contains("name=\"keep.photo\" value=\"1\" checked"))
        #expect(try await bytes(visitor) == "another")
        let (kept, merged) = (try #require(page.hidden("kept")), try #require(page.hidden("tag")))
        // Another conflict in between keeps it too.
        try await change(visitor, "name", "Cent")
        let again = try await visitor.upload(
            "record", Self.id, ["tag": merged, "kept": kept, "keep.photo": "1", "keep.pages": "1"], files: [],
            status: 409)
        let fields: KeyValuePairs = [
            "tag": try #require(again.hidden("tag")), "kept": try #require(again.hidden("kept")), "keep.photo": "1",
            "keep.pages": "1",
        ]
        _ = try await visitor.upload("record", Self.id, fields, files: [])
        #expect(try await bytes(visitor) == "the new one")
        let record = try await visitor.database.record(for: "penny")
        #expect(record["name"] as? String == "Cent" && (record["pages"] as? [Asset])?.count == 1)
        // The files are kept no longer.
        #expect(visitor.dashboard.uploads.value(try #require(again.hidden("kept")), at: place) == nil)
    }

    private let place = Place(container: "com.example.coins", environment: "development", scope: .private)

    @Test("A mistake keeps a chosen file, and the person can decide against it")
    func mistake() async throws {
        let visitor = try await visitor()
        func tag() async throws -> String { try await visitor.database.record(for: "penny").recordChangeTag ?? "" }
        func mistake() async throws -> String {
            try await visitor.upload(
                "record", Self.id, ["tag": tag(), "was.year": "", "now.year": "old"],
                files: [("file.photo", "new.png", "new")], status: 400)
        }
        var page = try await mistake()
        #expect(page.contains("aria-invalid") && page.contains("Use new.png (3 bytes)"))
        _ = try await visitor.upload(
            "record", Self.id, ["tag": tag(), "kept": #require(page.hidden("kept")), "now.year": "1900"], files: [])
        #expect(try await bytes(visitor) == "old")
        page = try await mistake()
        _ = try await visitor.upload(
            "record", Self.id,
            ["tag": tag(), "kept": #require(page.hidden("kept")), "keep.photo": "1", "now.year": "1901"],
            files: [("file.photo", "newer.png", "newer")])
        #expect(try await bytes(visitor) == "newer")
        // In the form of a new record too.
        page = try await visitor.upload(
            "new", ["type": "Coins"], ["name": "crown", "now.year": "x"], files: [("file.photo", "c.png", "crown")],
            status: 400)
        _ = try await visitor.upload(
            "new", ["type": "Coins"], ["name": "crown", "kept": #require(page.hidden("kept")), "keep.photo": "1"],
            files: [])
        let asset: Asset? = try await visitor.database.record(for: "crown")["photo"]
        #expect(try await asset?.data() == Data("crown".utf8))
    }

    @Test("Files of another database, unknown ones and those that were removed are not used, which is said")
    func gone() async throws {
        let visitor = try await visitor()
        let page = try await visitor.upload(
            "record", Self.id, ["tag": "x"], files: [("file.photo", "new.png", "new")], status: 409)
        let kept = try #require(page.hidden("kept"))
        let elsewhere = Place(container: "com.example.coins", environment: "development", scope: .public)
        #expect(visitor.dashboard.uploads.value(kept, at: elsewhere) == nil)
        for name in ["", "x", kept + "x"] {
            let tag = try await visitor.database.record(for: "penny").recordChangeTag ?? ""
            let refusal = try await visitor.upload(
                "record", Self.id, ["tag": tag, "kept": name, "keep.photo": "1"], files: [], status: 400)
            #expect(refusal.contains("Choose it again"))
        }
        #expect(try await bytes(visitor) == "old")
    }

    @Test("A file that a newer one has replaced is removed with its draft, and a kept one beside it stays")
    func replacedFiles() async throws {
        let visitor = try await visitor()
        func mistake(
            _ fields: KeyValuePairs<String, String>, _ files: [(field: String, name: String, bytes: String)]
        ) async throws -> String {
            let page = try await visitor.upload("new", ["type": "Coins"], fields, files: files, status: 400)
            return try #require(page.hidden("kept"))
        }
        func file(_ key: String, _ kept: String) throws -> String {
            let files = visitor.dashboard.uploads.value(kept, at: place)
            return try #require(files?.fields[key]?.first?.url.path)
        }
        var kept = try await mistake(
            ["now.year": "x"], [("file.photo", "p.png", "photo"), ("file.pages", "1.txt", "page")])
        let (photo, page) = (try file("photo", kept), try file("pages", kept))
        // One more than the drafts that are kept.
        for _ in 0..<8 {
            let fields: KeyValuePairs = ["now.year": "x", "kept": kept, "keep.pages": "1"]
            kept = try await mistake(fields, [("file.photo", "p.png", "x")])
        }
        #expect(!FileManager.default.fileExists(atPath: photo))
        #expect(try file("pages", kept) == page && FileManager.default.fileExists(atPath: page))
    }

    @Test("Drafts are bounded in number, bytes and time")
    func bounds() async throws {
        let drafts = Drafts<Int>(life: .milliseconds(300))
        let first = drafts.add(1, of: 1, at: place)
        #expect(drafts.value(first, at: place) == 1)
        for number in 0..<8 { _ = drafts.add(number, of: 1, at: place) }
        #expect(drafts.value(first, at: place) == nil)
        let large = drafts.add(1, of: 300 << 20, at: place)
        let larger = drafts.add(2, of: 300 << 20, at: place)
        #expect(drafts.value(large, at: place) == nil && drafts.value(larger, at: place) == 2)
        #expect(drafts.take(larger, at: place) == 2 && drafts.take(larger, at: place) == nil)
        let late = drafts.add(3, of: 1, at: place)
        for _ in 0..<100 where drafts.value(late, at: place) != nil { try await Task.sleep(for: .milliseconds(50)) }
        #expect(drafts.value(late, at: place) == nil)
    }

    @Test("Of several requests for a draft at once, one gets it")
    func confirmations() {
        let drafts = Drafts<Int>()
        for _ in 0..<1_000 {
            let ids = (0..<8).map { drafts.add($0, of: 1, at: place) }
            let count = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                for id in ids where drafts.take(id, at: place) != nil { count.withLock { $0 += 1 } }
            }
            #expect(count.withLock(\.self) == 8)
        }
    }

    @Test("Old files are removed without a further visit")
    func cleaning() async throws {
        final class File: Sendable {}
        let drafts = Drafts<File>(life: .milliseconds(100))
        weak var file: File?
        do {
            let new = File()
            file = new
            _ = drafts.add(new, of: 1, at: place)
        }
        #expect(file != nil)
        for _ in 0..<100 where file != nil { try await Task.sleep(for: .milliseconds(50)) }
        #expect(file == nil)
    }
}

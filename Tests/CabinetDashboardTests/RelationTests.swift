import Cabinet
import CabinetServer
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("Relations of a record")
struct RelationTests {
    /// An album with two photos, one of which has a comment, and a person that photos and albums refer to.
    private func visitor() async throws -> DashboardVisitor {
        let visitor = try await DashboardVisitor()
        func record(_ type: String, _ name: String, parent: RecordID? = nil) -> Record {
            var record = Record(recordType: type, recordID: RecordID(recordName: name))
            record["title"] = name
            record.setParent(parent)
            return record
        }
        let anna = Reference(recordID: "anna", action: .none)
        var photos = ["sea", "hills"].map { record("Photos", $0, parent: "album") }
        photos[0]["author"] = anna
        photos[1]["people"] = [anna]
        var album = record("Albums", "album")
        album["author"] = anna
        album["cover"] = Reference(recordID: "sea", action: .nullify)
        _ = try await visitor.database.modifyRecords(
            saving: [record("People", "anna"), album] + photos + [record("Comments", "nice", parent: "sea")],
            deleting: [])
        return visitor
    }

    /// The names of the records that a link of the part "Referred to by" leads to, by the link's text.
    private func referring(to name: String, _ visitor: DashboardVisitor) async throws -> [String: [String]] {
        let page = try await visitor.page("record", ["name": name])
        let part = try #require(page.firstMatch(of: #/(?s)id="referring">(.*?)<\/section>/#)?.1)
        var found: [String: [String]] = [:]
        for link in part.matches(of: #/href="([^"]+)">([^<]+)<\/a> <span class="count">(\d+)</#) {
            let response = try await visitor.send(.get, String(link.1).replacing("&amp;", with: "&"))
            let text = String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
            let names = text.matches(of: #/<th scope="row"><a [^>]*>([^<]+)</#).map { String($0.1) }
            #expect(names.count == Int(link.3))
            found[String(link.2)] = names.sorted()
        }
        return found
    }

    @Test("A record leads to its parent and to its children, each to the other")
    func hierarchy() async throws {
        let visitor = try await visitor()
        #expect(try await referring(to: "album", visitor) == ["Photos.parent": ["hills", "sea"]])
        #expect(
            try await referring(to: "sea", visitor) == ["Comments.parent": ["nice"], "Albums.cover": ["album"]])
        #expect(try await referring(to: "nice", visitor).isEmpty)
        for (child, parent) in [("sea", "album"), ("hills", "album"), ("nice", "sea")] {
            let page = try await visitor.page("record", ["name": child])
            let address = DashboardVisitor.address("record", ["name": parent])
            #expect(page.contains("<dt>Parent</dt><dd><a href=\"\(address)\">\(parent)</a>"), "\(child)")
        }
        #expect(try await !visitor.page("record", ["name": "album"]).contains("<dt>Parent</dt>"))
    }

    @Test("References lead to their targets, and from these back, also those in lists")
    func references() async throws {
        let visitor = try await visitor()
        let address = DashboardVisitor.address("record", ["name": "anna"])
        for name in ["sea", "hills", "album"] {
            #expect(try await visitor.page("record", ["name": name]).contains("<a href=\"\(address)\">anna</a>"))
        }
        #expect(
            try await referring(to: "anna", visitor)
                == ["Photos.author": ["sea"], "Photos.people": ["hills"], "Albums.author": ["album"]])
    }

    @Test("A parent that is moved, and a record that loses one, are shown at once")
    func moves() async throws {
        let visitor = try await visitor()
        func tag(_ name: String) async throws -> String {
            try #require(try await visitor.page("record", ["name": name]).hidden("tag"))
        }
        _ = try await visitor.submit(
            "record", ["name": "nice"],
            ["tag": tag("nice"), "was:parent": "sea", "now:parent": "hills"])
        #expect(try await referring(to: "hills", visitor) == ["Comments.parent": ["nice"]])
        _ = try await visitor.submit(
            "record", ["name": "nice"], ["tag": tag("nice"), "was:parent": "hills", "now:parent": ""])
        #expect(try await referring(to: "hills", visitor).isEmpty)
        #expect(try await visitor.database.record(for: "nice").parent == nil)
    }
}

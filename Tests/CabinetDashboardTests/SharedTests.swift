import Cabinet
import CabinetServer
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("The shared database in the dashboard")
struct SharedTests {
    private static let place = "/dashboard/com.example.coins/development/shared~_cleo"

    /// A browser of a user that may write to a zone of another user.
    private func browser() async throws -> (browser: PlainBrowser, owner: Database) {
        let visitor = try await DashboardVisitor()
        func user(_ name: String) throws -> Container {
            let service = visitor.dashboard.stores[0].service
            return try Container(
                identifier: "com.example.coins", service: service, account: Account(userRecordName: name))
        }
        let (owner, cleo) = (try user("_anna").privateDatabase, try user("_cleo"))
        for (zone, type) in [("Lists", "Items"), ("Secrets", "Diaries")] {
            let zoneID = try await owner.save(RecordZone(zoneName: zone)).zoneID
            var record = Record(recordType: type, recordID: RecordID(recordName: "first", zoneID: zoneID))
            record["name"] = "Milk"
            try await owner.save(record)
        }
        var share = Share(recordZoneID: RecordZone.ID(zoneName: "Lists"))
        share.addParticipant(Share.Participant(userRecordName: "_cleo", permission: .readWrite))
        share = try await owner.save(share)
        _ = try await cleo.accept(try await cleo.shareMetadata(for: try #require(share.url)))
        return (try await PlainBrowser(signedInTo: visitor), owner)
    }

    private func link(_ title: String, _ browser: PlainBrowser) throws -> String {
        let links = browser.text.matches(of: #/<a[^>]* href="([^"]*)">([^<]*)</#).filter { $0.2 == title }
        return String(try #require(links.first, "\(browser.address) has no link '\(title)'").1)
            .replacing("&amp;", with: "&")
    }

    @Test("A zone leads to its types, these to their records, and each record to its page")
    func pages() async throws {
        let (browser, owner) = try await browser()
        try await browser.open(Self.place)
        #expect(browser.text.contains("The shared database has records in zones."))
        for title in ["Choose a zone", "Records", "Items", "first"] {
            try await browser.open(try link(title, browser))
            #expect(browser.status == 200 && !browser.text.contains("Diaries"), "\(browser.address)")
        }
        #expect(browser.text.contains("Milk"))
        try await browser.press("Save", ["now.name": "Soy milk"])
        let id = RecordID(recordName: "first", zoneID: RecordZone.ID(zoneName: "Lists"))
        #expect(try await owner.record(for: id)["name"] == "Soy milk")
        for title in ["Items", "New record"] { try await browser.open(try link(title, browser)) }
        try await browser.press("Save", ["name": "tea", "now.name": "Tea"])
        #expect(try await owner.record(for: RecordID(recordName: "tea", zoneID: id.zoneID))["name"] == "Tea")
    }

    @Test("A table is imported into the zone of another user")
    func importedTable() async throws {
        let (browser, owner) = try await browser()
        try await browser.open(Self.place + "/import?zone=Lists&owner=_anna")
        let csv = "recordName,name\ntea,Tea\n"
        try await browser.press("Show", ["type": "Items"], files: ["file": ("items.csv", csv)])
        #expect(!browser.text.contains("a new type"))
        try await browser.press("Import")
        #expect(browser.text.contains("Imported 1 record"), "\(browser.text)")
        let id = RecordID(recordName: "tea", zoneID: RecordZone.ID(zoneName: "Lists"))
        #expect(try await owner.record(for: id)["name"] == "Tea")
    }
}

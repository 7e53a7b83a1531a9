import Cabinet
import CabinetServer
import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import CabinetDashboard

@Suite("Edits that a form must not lose, and deletions that it must not carry out")
struct EditTests {
    /// A browser that is signed in to a dashboard with one coin.
    private func browser() async throws -> PlainBrowser {
        let visitor = try await DashboardVisitor()
        var coin = Record(recordType: "Coins", recordID: "lira")
        coin["name"] = "Lira"
        coin["year"] = 1945
        try await visitor.database.save(coin)
        return try await PlainBrowser(signedInTo: visitor)
    }

    @Test(
        "Another field that the record has, or that has no name, is a mistake of the form",
        arguments: [
            ("name", "The record has a field &#39;name&#39; above."), ("", "The other field has no name."),
        ])
    func otherField(key: String, message: String) async throws {
        let browser = try await browser()
        try await browser.open(DashboardVisitor.address("record", ["name": "lira"]))
        try await browser.press("Save", ["now.year": "1946", "new.key": key, "new.value": "Other"])
        #expect(browser.status == 400 && browser.text.contains(message))
        #expect(browser.text.contains("name=\"new.value\" value=\"Other\""), "The typed text stays.")
        #expect(try await browser.visitor.database.record(for: "lira")["year"] as? Int == 1945)
        try await browser.press("Save", ["new.key": "title"])
        let saved = try await browser.visitor.database.record(for: "lira")
        #expect(saved["name"] == "Lira" && saved["title"] == "Other" && saved["year"] == 1946)
    }

    @Test("A text in its other normal form is a change, and in conflict with another client's")
    func normalForms() async throws {
        let browser = try await browser()
        let database = browser.visitor.database
        func name() async throws -> [UInt8] { Array((try await database.record(for: "lira")["name"] ?? "").utf8) }
        for text in ["\u{E9}", "e\u{301}"] {
            try await browser.open(DashboardVisitor.address("record", ["name": "lira"]))
            try await browser.press("Save", ["now.name": text])
            #expect(try await name() == Array(text.utf8))
        }
        try await browser.open(DashboardVisitor.address("record", ["name": "lira"]))
        var other = try await database.record(for: "lira")
        other["name"] = "\u{E9}"
        try await database.save(other)
        try await browser.press("Save", ["now.name": "Lira"])
        #expect(browser.status == 409 && browser.text.contains("<tr class=\"conflict\"><th scope=\"row\">name</th>"))
    }

    @Test("A field that was added before a mistake is saved after it")
    func addedField() async throws {
        let browser = try await browser()
        try await browser.open(DashboardVisitor.address("record", ["name": "lira"]))
        try await browser.press("Save", ["now.year": "old", "new.key": "title", "new.value": "Other"])
        #expect(browser.status == 400)
        try await browser.press("Save", ["now.year": "1946"])
        let saved = try await browser.visitor.database.record(for: "lira")
        #expect(saved["title"] == "Other" && saved["year"] == 1946)
    }

    @Test("A new record with a taken name is a mistake of the form, and a failure of the store is not")
    func newRecord() async throws {
        let browser = try await browser()
        let page = DashboardVisitor.address("new", ["type": "Coins"])
        try await browser.open(page)
        try await browser.press("Save", ["name": "lira", "now.year": "1946"])
        #expect(browser.status == 400 && browser.text.contains("name=\"now.year\" value=\"1946\""))
        #expect(try await browser.visitor.database.record(for: "lira")["year"] as? Int == 1945)
        browser.visitor.backend.inject(.failure(.internalError), on: .write)
        try await browser.press("Save", ["name": "penny"])
        #expect(browser.status == 500)
    }

    @Test("A failure of the store keeps what was typed, and has its status", arguments: ["record", "new"])
    func failures(page: String) async throws {
        let browser = try await browser()
        let item = page == "new" ? "type=Coins" : "name=lira"
        for (code, kind, status) in [
            (.quotaExceeded, .write, 507), (.networkUnavailable, .read, 503), (.permissionFailure, .write, 403),
        ] as [(CabinetError.Code, BackendCall.Kind, Int)] {
            try await browser.open("\(DashboardVisitor.place)/\(page)?\(item)")
            browser.visitor.backend.inject(.failure(code), on: kind)
            try await browser.press("Save", ["now.year": "1946", "new.key": "title", "new.value": "Other"])
            #expect(browser.status == status)
            #expect(browser.text.contains("name=\"now.year\" value=\"1946\"") && browser.text.contains("Other"))
        }
        // The form is complete.
        try await browser.press("Save")
        let records = try await browser.visitor.database.records(matching: Query(recordType: "Coins")).matchResults
        #expect(records.count == (page == "new" ? 2 : 1))
        #expect(try records.contains { try $0.1.get()["year"] == 1946 && $0.1.get()["title"] == "Other" })
    }

    @Test("A save that takes too long is cancelled, and its form says so")
    func lateness() async throws {
        let browser = try await browser()
        let address = DashboardVisitor.address("record", ["name": "lira"])
        var visitor = browser.visitor
        let page = try await visitor.text(of: address)
        let (token, tag) = (try #require(page.hidden("token")), try #require(page.hidden("tag")))
        visitor.dashboard.timeLimit = .milliseconds(10)
        visitor.backend.inject(.delay(.seconds(3_600)), on: .write)
        let fields = ["token": token, "tag": tag, "type": "Coins", "was.year": "1945", "now.year": "1946"]
        let body = fields.map { "\($0)=\(DashboardVisitor.escaped($1))" }.joined(separator: "&")
        let response = try await visitor.send(.post, address, body: body)
        let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(response.status == .serviceUnavailable && text.hidden("tag") == tag)
        #expect(text.contains("The change was cancelled.") && !text.contains("A filter by"))
        #expect(text.contains("name=\"now.year\" value=\"1946\""))
        #expect(try await visitor.database.record(for: "lira")["year"] == 1945)
    }

    @Test("The form of a new record that is sent twice creates one record")
    func doubleClick() async throws {
        let visitor = try await browser().visitor
        let page = try await visitor.page("new", ["type": "Coins"])
        let name = try #require(page.hidden("newName"))
        #expect(try await visitor.page("new", ["type": "Coins"]).hidden("newName") != name)
        let fields: KeyValuePairs = ["newName": name, "name": "", "now.name": "Penny", "now.year": "1900"]
        for _ in 0..<2 {
            let address = try await visitor.submit("new", ["type": "Coins"], fields)
            #expect(address == DashboardVisitor.address("record", ["name": name]).replacing("%2D", with: "-"))
        }
        // Other values are another record, whose name is free.
        let other = try await visitor.submit(
            "new", ["type": "Coins"], ["newName": name, "name": "", "now.name": "Cent"], status: 400)
        #expect(other.hidden("newName") != name && other.contains("Cent"))
        #expect(try await visitor.database.record(for: RecordID(recordName: name))["name"] == "Penny")
    }

    @Test("An edit of a record that another client has deleted stays on the form, which creates the record again")
    func deletedRecord() async throws {
        let browser = try await browser()
        let database = browser.visitor.database
        try await browser.open(DashboardVisitor.address("record", ["name": "lira"]))
        try await database.deleteRecord(withID: "lira")
        try await browser.press("Save", ["now.year": "1946", "new.key": "title", "new.value": "Other"])
        #expect(browser.status == 409 && browser.text.contains("Another client has deleted this record"))
        #expect(browser.text.contains("name=\"now.year\" value=\"1946\""))
        await #expect(throws: CabinetError(.unknownItem)) { try await database.record(for: "lira") }
        // A mistake of the new record keeps the form too.
        try await browser.press("Create again", ["now.year": "old"])
        #expect(browser.status == 400 && browser.text.contains("name=\"now.year\" value=\"old\""))
        try await browser.press("Create again", ["now.year": "1947"])
        #expect(browser.status == 200)
        let saved = try await database.record(for: "lira")
        #expect(saved.recordType == "Coins" && saved["name"] == "Lira")
        #expect(saved["year"] == 1947 && saved["title"] == "Other")
    }

    @Test("A record that another client has saved again in the meantime is not overwritten")
    func savedAgain() async throws {
        let browser = try await browser()
        let database = browser.visitor.database
        try await browser.open(DashboardVisitor.address("record", ["name": "lira"]))
        try await database.deleteRecord(withID: "lira")
        try await browser.press("Save", ["now.year": "1946"])
        var other = Record(recordType: "Coins", recordID: "lira")
        other["year"] = 1950
        try await database.save(other)
        try await browser.press("Create again")
        #expect(browser.status == 409 && browser.text.contains("<td>1950</td><td>1946</td>"))
        #expect(try await database.record(for: "lira")["year"] as? Int == 1950)
    }

    @Test("A record that has changed since the question is deleted after another question alone")
    func deletion() async throws {
        let browser = try await browser()
        let database = browser.visitor.database
        try await browser.open(DashboardVisitor.address("delete", ["name": "lira"]))
        var other = try await database.record(for: "lira")
        other["year"] = 1950
        try await database.save(other)
        try await browser.press("Delete lira")
        #expect(browser.status == 409 && browser.text.contains("Another client has changed the record."))
        #expect(try await database.record(for: "lira")["year"] as? Int == 1950)
        try await browser.press("Delete lira")
        await #expect(throws: CabinetError(.unknownItem)) { try await database.record(for: "lira") }
    }

    @Test("A record that changes while its deletion is under way is not deleted")
    func deletionDuringChange() async throws {
        let service = ChangingService(base: try LocalDatabaseService(backend: MemoryBackend()))
        let visitor = try await DashboardVisitor(service: service)
        let browser = try await PlainBrowser(signedInTo: visitor)
        try await visitor.database.save(Record(recordType: "Coins", recordID: "lira"))
        try await browser.open(DashboardVisitor.address("delete", ["name": "lira"]))
        service.isPreceded.withLock { $0 = true }
        try await browser.press("Delete lira")
        #expect(browser.status == 409 && browser.text.contains("Another client has changed the record."))
        #expect(try await visitor.database.record(for: "lira")["year"] as? Int == 1950)
        try await browser.press("Delete lira")
        await #expect(throws: CabinetError(.unknownItem)) { try await visitor.database.record(for: "lira") }
    }

    @Test("Sizes of assets that a form makes up are passed over", arguments: [Int64.min, -1, .max])
    func sizes(_ size: Int64) async throws {
        let visitor = try await DashboardVisitor()
        let schema = Schema(recordTypes: [
            "Coins": Schema.RecordType(fields: ["photo": Schema.Field(.asset), "year": Schema.Field(.int64)])
        ])
        try await visitor.database.apply(schema)
        try await visitor.database.save(Record(recordType: "Coins", recordID: "lira"))
        let page = try await visitor.submit(
            "record", ["name": "lira"],
            ["tag": "old", "type": "Coins", "was.photo": "{\"size\":\(size)}", "was.year": "1", "now.year": "2"],
            status: 409)
        #expect(page.contains("<th scope=\"row\">photo</th>"))
        #expect(page.contains("bytes</td>") == (size > 0))
    }

    @Test("The record of a share is shown without a form, and no form changes or creates one")
    func shares() async throws {
        let visitor = try await DashboardVisitor()
        let zone = try await visitor.database.save(RecordZone(zoneName: "Travel"))
        let share = Share(recordZoneID: zone.zoneID).record
        _ = try await visitor.database.modifyRecords(saving: [share], deleting: [])
        let stored = try await visitor.database.record(for: share.recordID)
        let id: KeyValuePairs = ["zone": "Travel", "name": share.recordID.recordName]
        let page = try await visitor.page("record", id)
        #expect(!page.contains("name=\"now.") && !page.contains(">Edit</summary>"))
        #expect(page.contains("<a href=\"\(DashboardVisitor.address("shares"))\">Shares and their participants</a>"))
        let refusal = try await visitor.submit(
            "record", id,
            [
                "tag": stored.recordChangeTag ?? "", "type": stored.recordType, "was.cloudkit.participants": "x",
                "now.cloudkit.participants": "",
            ], status: 400)
        #expect(refusal.contains("The record of a share is not changed by a form."))
        _ = try await visitor.submit(
            "new", ["type": Share.recordType, "zone": "Travel"], ["name": "other", "now.cloudkit.title": "x"],
            status: 400)
        let after = try await visitor.database.record(for: share.recordID)
        #expect(after.recordChangeTag == stored.recordChangeTag)
        // A deleted one is not created again either.
        let way = try await visitor.submit("delete", id, ["tag": stored.recordChangeTag ?? ""])
        #expect(way == DashboardVisitor.address("shares"))
        _ = try await visitor.submit("record", id, ["tag": "", "type": Share.recordType], status: 404)
    }
}

/// A service whose record is changed by another client directly before its deletion.
private final class ChangingService: WrappingService {
    let base: any DatabaseService
    /// Whether the other client precedes the next deletion.
    let isPreceded = Mutex(false)

    init(base: any DatabaseService) { self.base = base }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let isPreceded = isPreceded.withLock(\.self)
        if isPreceded, let deletion = request as? ModifyRecordsRequest, !deletion.recordIDsToDelete.isEmpty {
            self.isPreceded.withLock { $0 = false }
            var other = ModifyRecordsRequest(in: deletion.scope)
            other.savePolicy = .allKeys
            other.recordsToSave = deletion.recordIDsToDelete.map { Record(recordType: "Coins", recordID: $0) }
            for index in other.recordsToSave.indices { other.recordsToSave[index]["year"] = 1950 }
            _ = try await base.perform(other, for: caller)
        }
        return try await base.perform(request, for: caller)
    }
}

import Cabinet
import CabinetServer
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("Pages of a user that may not read or change every record")
struct PermissionTests {
    private static let place = "/dashboard/com.example.coins/development/public"

    /// A visitor of a public database with a type for editors, and a record that only editors change.
    private func visitor() async throws -> DashboardVisitor {
        let visitor = try await DashboardVisitor()
        var schema = Schema(recordTypes: [:], roles: ["Editor"])
        schema["Drafts"] = .init(fields: ["coin": .init(.reference)], grants: ["Editor": [.read, .write, .create]])
        schema["Coins"] = .init(
            fields: ["name": .init(.string)],
            grants: [Schema.worldRole: [.read], "Editor": [.write, .create]])
        try await visitor.container.publicDatabase.apply(schema)
        let editor = try Container(
            identifier: "com.example.coins", service: visitor.dashboard.stores[0].service,
            account: Account(userRecordName: "_editor", roles: ["Editor"]))
        try await editor.publicDatabase.save(Record(recordType: "Coins", recordID: "penny"))
        return visitor
    }

    @Test("A type that is hidden from the user does not hide the others")
    func hiddenType() async throws {
        let visitor = try await visitor()
        let types = try await visitor.text(of: Self.place)
        #expect(types.contains(">Coins</a>") && types.contains(">Drafts</a>"))
        #expect(types.matches(of: #/not permitted/#).count == 1)
        let record = try await visitor.text(of: Self.place + "/record?name=penny")
        #expect(record.contains("Not all fields were searched."))
        _ = try await visitor.text(of: Self.place + "/records?type=Drafts", status: 403)
    }

    @Test("A user of the store has the roles that the store gives it")
    func roles() async throws {
        let visitor = try await visitor()
        let user = try await AccountStore(visitor.backend).addUser("ed", roles: ["Editor"])
        let types = try await visitor.text(of: "\(Self.place)~\(user.userRecordName)")
        #expect(types.contains(">Drafts</a>") && !types.contains("not permitted"))
        #expect(try await visitor.text(of: "\(Self.place)~_other").contains("not permitted"))
    }

    @Test("A change that the user may not make stays on the form")
    func refusedChange() async throws {
        let browser = try await PlainBrowser(signedInTo: visitor())
        try await browser.open(Self.place + "/record?name=penny")
        try await browser.press("Save", ["now.name": "Typed"])
        #expect(browser.status == 403 && browser.text.contains("Typed</textarea>"))
    }
}

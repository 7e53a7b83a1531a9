import Cabinet
import Foundation
import Testing

@testable import CabinetDashboard

@Suite("The store of a mirror in the dashboard")
struct MirrorPartTests {
    @Test("A record says that the server does not have it yet, and the page of health lists all of them")
    func pending() async throws {
        let backend = MemoryBackend()
        let service = try LocalDatabaseService(
            mirrorIn: backend, of: .private, limits: .default, changeRetention: ChangeRetention(), now: { Date() })
        let visitor = try await DashboardVisitor(service: service, store: backend)
        for name in ["penny", "crown"] {
            try await visitor.database.save(Record(recordType: "Coins", recordID: RecordID(recordName: name)))
        }
        #expect(
            try await visitor.page("record", ["name": "penny"]).contains(
                "<dt>Server</dt><dd>changed here, to be sent</dd>"))
        let page = try await visitor.page("health")
        #expect(page.contains("2 changes are not on the server yet") && page.contains(">crown</a>"))
        // As a send that was answered leaves it.
        let store = try MirrorStore(
            service, for: Caller(account: .default, deviceID: "mirror"),
            policy: MirrorPolicy(keepsEdits: true) { $0.serverRecord })
        #expect(try await store.counts().pending == 2)
        try await visitor.database.deleteRecord(withID: "penny")
        let later = try await visitor.page("health")
        #expect(
            later.contains("deleted here, to be sent") && later.contains("<th scope=\"row\">penny</th>"), "\(later)")
    }

    @Test("Another store says nothing of a server")
    func other() async throws {
        let visitor = try await DashboardVisitor()
        try await visitor.database.save(Record(recordType: "Coins", recordID: "penny"))
        #expect(try await !visitor.page("record", ["name": "penny"]).contains("<dt>Server</dt>"))
        #expect(try await !visitor.page("health").contains("Mirror"))
    }
}

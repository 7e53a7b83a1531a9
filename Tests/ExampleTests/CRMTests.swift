import Cabinet
import CabinetSQLite
import Foundation
import Testing

@testable import CRM

@Suite("The CRM")
struct CRMTests {
    private let backend = MemoryBackend()

    /// Saves two companies, one the parent of the other, with a contact and two deals.
    private func filled(
        _ crm: CRM
    ) async throws -> (acme: Typed<Companies>, mary: Typed<Contacts>, deals: [Typed<Deals>]) {
        let acme = try await crm.companies.save { $0.name = "Acme" }
        let branch = try await crm.companies.save {
            $0.name = "Bolt & Co"
            $0.address = Address(street: "Via Appia", city: "Rome")
            $0.holding = acme.id
        }
        let mary = try await crm.contacts.save {
            $0.name = "Mary Árbol"
            $0.emails = ["mary@acme.example"]
            $0.picture = Asset(data: Data("picture".utf8))
            $0.company = acme.id
        }
        let large = try await crm.deals.save {
            $0.name = "Machines"
            $0.amount = 1000
            $0.company = branch.id
            $0.contacts = [mary.id]
        }
        let small = try await crm.deals.save {
            $0.name = "Screws"
            $0.amount = 10.5
            $0.stage = .offer
            $0.company = acme.id
        }
        return (acme, mary, [large, small])
    }

    @Test("A search finds names without regard to case and accents, and addresses")
    func search() async throws {
        let crm = try CRM(backend)
        let mary = try await filled(crm).mary
        #expect(try await crm.search("acm").companies.map(\.name) == ["Acme"])
        #expect(try await crm.search("mary a").contacts == [mary])
        #expect(try await crm.search("MARY@").contacts == [mary])
        #expect(try await crm.search("bolt").contacts.isEmpty)
    }

    @Test("Companies are found by the city of their address")
    func addresses() async throws {
        let crm = try CRM(backend)
        _ = try await filled(crm)
        #expect(try await crm.companies(in: "Rome").map(\.name) == ["Bolt & Co"])
        #expect(try await crm.companies(in: "Oslo").isEmpty)
    }

    @Test("The pipeline counts and sums up the deals of each stage, and follows a move")
    func pipeline() async throws {
        let crm = try CRM(backend)
        let deals = try await filled(crm).deals
        let pipeline = crm.pipeline()
        var (counts, amounts) = (pipeline.counts.makeAsyncIterator(), pipeline.amounts.makeAsyncIterator())
        #expect(try await counts.next() == [.lead: 1, .offer: 1])
        #expect(try await amounts.next() == [.lead: 1000, .offer: 10.5])
        try await crm.move(deals[0].id, to: .offer)
        #expect(try await counts.next() == [.offer: 2])
        #expect(try await amounts.next() == [.offer: 1010.5])
    }

    @Test("Moves of one deal at once are done one after the other, each with its activity")
    func concurrentMoves() async throws {
        let crm = try CRM(backend)
        let deal = try await filled(crm).deals[0]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for stage in Stage.allCases { group.addTask { try await crm.move(deal.id, to: stage) } }
            try await group.waitForAll()
        }
        #expect(try await crm.history(of: deal.id).count == Stage.allCases.count)
        await #expect(throws: CabinetError(.unknownItem)) {
            try await crm.move(TypedID(recordName: "none"), to: .won)
        }
        #expect(try await crm.activities.count() == Stage.allCases.count)
    }

    @Test("The deals of a company include those of its subsidiaries, with contacts and companies")
    func openDeals() async throws {
        let crm = try CRM(backend)
        let (acme, mary, deals) = try await filled(crm)
        let open = try await crm.openDeals(of: acme.id)
        #expect(open.map(\.name) == ["Machines", "Screws"])
        #expect(open[open[0].contacts] == [mary])
        #expect(open[open[0].company]?.name == "Bolt & Co")
        try await crm.move(deals[0].id, to: .won)
        #expect(try await crm.openDeals(of: acme.id).map(\.name) == ["Screws"])
        #expect(try await crm.history(of: deals[0].id).map(\.text) == ["Machines: won"])
    }

    @Test("Deleting a company deletes its deals with their activities, and keeps its contacts and subsidiaries")
    func deletion() async throws {
        let crm = try CRM(backend)
        let (acme, mary, deals) = try await filled(crm)
        try await crm.move(deals[1].id, to: .lost)
        try await crm.companies.delete(acme.id)
        #expect(try await crm.deals.all().map(\.name) == ["Machines"])
        #expect(try await crm.activities.count() == 0)
        #expect(try await crm.contacts.record(for: mary.id).company == nil)
        #expect(try await crm.companies.first()?.holding == nil)
    }

    @Test("A picture is read on another device, and both see each other's changes")
    func secondDevice() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("crm-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = SQLiteBackend(directory: folder)
        let (laptop, phone) = (try CRM(store, deviceID: "laptop"), try CRM(store, deviceID: "phone"))
        let mary = try await filled(laptop).mary
        let seen = try await phone.contacts.record(for: mary.id)
        #expect(try await seen.picture?.data() == Data("picture".utf8))

        var mine = mary
        mine.emails.append("mary@home.example")
        mine = try await laptop.contacts.save(mine)
        var theirs = seen
        theirs.emails.append("mary@work.example")
        theirs = try await phone.contacts.save(theirs) { conflict in
            var contact = conflict.server
            contact.emails += conflict.client.emails.filter { !contact.emails.contains($0) }
            return contact
        }
        #expect(theirs.emails == ["mary@acme.example", "mary@home.example", "mary@work.example"])
    }

    @Test("A name that is not declared is refused, in an untyped record too")
    func strict() async throws {
        let crm = try CRM(backend)
        var record = Record(recordType: "Deals")
        record["amuont"] = 3.0
        let error = await #expect(throws: CabinetError.self) { try await crm.database.save(record) }
        #expect(error?.message.contains("'amount'") == true)
    }
}

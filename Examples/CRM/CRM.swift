import Cabinet
import Foundation

/// The customers of a small firm: companies, contacts, deals and activities.
struct CRM: Sendable {
    let database: Database
    var companies: Table<Companies> { database.table(Companies.self) }
    var contacts: Table<Contacts> { database.table(Contacts.self) }
    var deals: Table<Deals> { database.table(Deals.self) }
    var activities: Table<Activities> { database.table(Activities.self) }

    /// Opens the store of a user on a backend.
    init(_ backend: any StorageBackend, deviceID: String = UUID().uuidString) throws {
        let schema = try Schema(Companies.self, Contacts.self, Deals.self, Activities.self)
        let container = try Container(
            identifier: "com.example.crm", backend: backend, schema: .strict(schema), deviceID: deviceID)
        database = container.privateDatabase
    }

    /// Finds companies and contacts by words of their names, and contacts by their addresses, the most relevant first.
    func search(_ text: String) async throws -> (companies: [Typed<Companies>], contacts: [Typed<Contacts>]) {
        async let companies = companies.all(where: { $0.search(text) }, by: \.relevance)
        async let contacts = contacts.all(where: { $0.search(text) || $0.emails.any.search(text) }, by: \.relevance)
        return try await (companies, contacts)
    }

    /// The companies in a city, by name.
    func companies(in city: String) async throws -> [Typed<Companies>] {
        try await companies.all(where: { $0.address.json.city == city }, by: \.name)
    }

    /// The numbers and the amounts of the deals of each stage, now and after each change of them.
    func pipeline() -> (counts: AggregateObservation<[Stage?: Int]>, amounts: AggregateObservation<[Stage?: Double]>) {
        (deals.observeCounts(by: \.stage), deals.observeSums(of: \.amount, by: \.stage))
    }

    /// The open deals of a company and of its subsidiaries, the largest first, with their contacts.
    func openDeals(of company: Typed<Companies>.ID) async throws -> RelatedItems<Deals> {
        try await deals.all(
            where: { ($0.company == company || $0.company.to.holding == company) && $0.stage.isIn([.lead, .offer]) },
            by: \.amount.descending, including: \.contacts, \.company)
    }

    /// Moves a deal to another stage, and writes down the activity, in one transaction.
    func move(_ id: Typed<Deals>.ID, to stage: Stage, on date: Date = Date()) async throws {
        try await database.transaction { t in
            var deal = try await t.record(for: id)
            deal.stage = stage
            var activity = activities.make()
            activity.text = "\(deal.name): \(stage.rawValue)"
            activity.date = date
            activity.subject = TypedID(id)
            try t.save(deal, activity)
        }
    }

    /// The latest activities about a deal.
    func history(of deal: Typed<Deals>.ID, limit: Int = 20) async throws -> [Typed<Activities>] {
        try await activities.all(where: { $0.subject == deal }, by: \.date.descending, limit: limit)
    }
}

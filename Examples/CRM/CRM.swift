package import Cabinet
package import Foundation

/// The customers of a small firm: companies, contacts, deals and activities.
package struct CRM: Sendable {
    package let database: Database
    package let companies: Table<Companies>
    package let contacts: Table<Contacts>
    package let deals: Table<Deals>
    package let activities: Table<Activities>

    /// Opens the store of a user on a backend.
    package init(_ backend: any StorageBackend, deviceID: String = UUID().uuidString) throws {
        let schema = try Schema(Companies.self, Contacts.self, Deals.self, Activities.self)
        let container = try Container(
            identifier: "com.example.crm", backend: backend, schema: .strict(schema), deviceID: deviceID)
        database = container.privateDatabase
        companies = database.table(Companies.self)
        contacts = database.table(Contacts.self)
        deals = database.table(Deals.self)
        activities = database.table(Activities.self)
    }

    /// Finds companies and contacts by words of their names, and contacts by their addresses, the most relevant first.
    package func search(_ text: String) async throws -> (companies: [Typed<Companies>], contacts: [Typed<Contacts>]) {
        async let companies = companies.all(where: { $0.search(text) }, by: \.relevance)
        async let contacts = contacts.all(where: { $0.search(text) || $0.emails.any.search(text) }, by: \.relevance)
        return try await (companies, contacts)
    }

    /// The companies in a city, by name.
    package func companies(in city: String) async throws -> [Typed<Companies>] {
        try await companies.all(where: { $0.address.json.city == city }, by: \.name)
    }

    /// The sum of the open and closed deals by stage, in the order of the stages.
    package func pipeline() async throws -> [(stage: Stage, count: Int, amount: Double)] {
        let counts = try await deals.counts(by: \.stage)
        let amounts = try await deals.sums(of: \.amount, by: \.stage)
        return Stage.allCases.map { ($0, counts[$0] ?? 0, amounts[$0] ?? 0) }
    }

    /// The open deals of a company and of its subsidiaries, the largest first, with their contacts.
    package func openDeals(of company: Typed<Companies>.ID) async throws -> RelatedItems<Deals> {
        try await deals.all(
            where: {
                ($0.company == company || $0.company.to.holding == company) && $0.stage.isIn([.lead, .offer])
            }, by: \.amount.descending, including: \.contacts, \.company)
    }

    /// Moves a deal to another stage, and writes down the activity, in one transaction.
    package func move(_ deal: Typed<Deals>, to stage: Stage, on date: Date = Date()) async throws -> Typed<Deals> {
        var deal = deal
        deal.stage = stage
        var activity = activities.make()
        activity.text = "\(deal.name): \(stage.rawValue)"
        activity.date = date
        activity.subject = .init(deal.id)
        (deal, activity) = try await database.save(deal, activity)
        return deal
    }

    /// The latest activities about a deal.
    package func history(of deal: Typed<Deals>.ID, limit: Int = 20) async throws -> [Typed<Activities>] {
        try await activities.all(where: { $0.subject == .init(deal) }, by: \.date.descending, limit: limit)
    }
}

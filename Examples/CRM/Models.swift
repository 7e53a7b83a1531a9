import Cabinet
import Foundation

/// A postal address, which is stored as JSON.
struct Address: JSONRecordValue, Equatable {
    struct Fields: JSONFields { let city = Field<String>("city") }

    var street, city: String
}

/// A company that contacts and deals belong to.
struct Companies: RecordFields {
    let name = Field<String>("name", index: [.sortable, .searchable])
    let website = Field<URL?>("website")
    let address = Field<Address?>("address")
    let holding = Link<Companies>("holding", onDelete: .nullify)
}

/// A person of a company.
struct Contacts: RecordFields {
    let name = Field<String>("name", index: [.sortable, .searchable])
    let emails = Field<[String]>("emails")
    let picture = Field<Asset?>("picture")
    let company = Link<Companies>("company", onDelete: .nullify)
}

/// The steps of a deal.
enum Stage: String, RecordValue, CaseIterable { case lead, offer, won, lost }

/// A sale to a company.
struct Deals: RecordFields {
    let name = Field<String>("name", index: .sortable)
    let amount = Field<Double>("amount", default: 0)
    let stage = Field<Stage>("stage", default: .lead, index: .queryable)
    let company = Link<Companies>("company", onDelete: .deleteSelf)
    let contacts = Links<Contacts>("contacts", onDelete: .nullify)
}

/// A call, a letter or a meeting about a company, a contact or a deal.
struct Activities: RecordFields {
    let text = Field<String>("text", index: .searchable)
    let date = Field<Date>("date", default: .distantPast, index: .sortable)
    let subject = Link<OneOf<Companies, Contacts, Deals>>("subject", onDelete: .deleteSelf)
}

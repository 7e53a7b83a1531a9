package import Cabinet
package import Foundation

/// A postal address, which is stored as JSON.
package struct Address: JSONRecordValue, Equatable {
    package struct Fields: JSONFields {
        package let city = Field<String>("city")
        package init() {}
    }

    package var street: String
    package var city: String
    package init(street: String, city: String) { (self.street, self.city) = (street, city) }
}

/// A company that contacts and deals belong to.
package struct Companies: RecordFields {
    package static let recordType = "Companies"
    package let name = Field<String>("name", index: [.sortable, .searchable])
    package let website = Field<URL?>("website")
    package let address = Field<Address?>("address")
    package let holding = Link<Companies>("holding", onDelete: .nullify)
    package init() {}
}

/// A person of a company.
package struct Contacts: RecordFields {
    package static let recordType = "Contacts"
    package let name = Field<String>("name", index: [.sortable, .searchable])
    package let emails = Field<[String]>("emails")
    package let picture = Field<Asset?>("picture")
    package let company = Link<Companies>("company", onDelete: .nullify)
    package init() {}
}

/// The steps of a deal.
package enum Stage: String, RecordValue, CaseIterable { case lead, offer, won, lost }

/// A sale to a company.
package struct Deals: RecordFields {
    package static let recordType = "Deals"
    package let name = Field<String>("name", index: .sortable)
    package let amount = Field<Double>("amount", default: 0)
    package let stage = Field<Stage>("stage", default: .lead, index: .queryable)
    package let company = Link<Companies>("company", onDelete: .deleteSelf)
    package let contacts = Links<Contacts>("contacts", onDelete: .nullify)
    package init() {}
}

/// A call, a letter or a meeting about a company, a contact or a deal.
package struct Activities: RecordFields {
    package static let recordType = "Activities"
    package let text = Field<String>("text", index: .searchable)
    package let date = Field<Date>("date", default: .distantPast, index: .sortable)
    package let subject = Link<OneOf<Companies, Contacts, Deals>>("subject", onDelete: .deleteSelf)
    package init() {}
}

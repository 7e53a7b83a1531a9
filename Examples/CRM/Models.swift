public import Cabinet
public import Foundation

/// A company that contacts and deals belong to.
public struct Companies: RecordFields {
    public static let recordType = "Companies"
    public let name = Field<String>("name", index: [.sortable, .searchable])
    public let website = Field<URL?>("website")
    public let parent = Link<Companies>("parent", onDelete: .nullify)
    public init() {}
}

/// A person of a company.
public struct Contacts: RecordFields {
    public static let recordType = "Contacts"
    public let name = Field<String>("name", index: [.sortable, .searchable])
    public let emails = Field<[String]>("emails")
    public let picture = Field<Asset?>("picture")
    public let company = Link<Companies>("company", onDelete: .nullify)
    public init() {}
}

/// The steps of a deal.
public enum Stage: String, RecordValue, CaseIterable { case lead, offer, won, lost }

/// A sale to a company.
public struct Deals: RecordFields {
    public static let recordType = "Deals"
    public let name = Field<String>("name", index: .sortable)
    public let amount = Field<Double>("amount", default: 0)
    public let stage = Field<Stage>("stage", default: .lead, index: .queryable)
    public let company = Link<Companies>("company", onDelete: .deleteSelf)
    public let contacts = Links<Contacts>("contacts", onDelete: .nullify)
    public init() {}
}

/// A call, a letter or a meeting about a company, a contact or a deal.
public struct Activities: RecordFields {
    public static let recordType = "Activities"
    public let text = Field<String>("text", index: .searchable)
    public let date = Field<Date>("date", default: .distantPast, index: .sortable)
    public let subject = Link<OneOf<Companies, Contacts, Deals>>("subject", onDelete: .deleteSelf)
    public init() {}
}

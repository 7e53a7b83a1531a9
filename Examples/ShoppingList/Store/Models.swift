import Cabinet
import TerminalProgram

/// A record type whose records have a name.
protocol NamedFields: RecordFields {
    var name: Field<String> { get }
}

/// The lists.
struct Lists: NamedFields {
    static let recordType = "Lists"
    let name = Field<String>("name")
}
typealias List = Typed<Lists>

/// The items on the lists.
struct Items: NamedFields {
    static let recordType = "Items"
    let name = Field<String>("name")
    let savedNumber = Field<Int?>("number")
    let list = Link<Lists>("list", onDelete: .deleteSelf)
}
typealias Item = Typed<Items>

extension Typed<Lists> {
    /// Whether another user shares the list.
    var isOfAnotherUser: Bool { id.recordID.zoneID.ownerName != RecordZone.ID.defaultOwnerName }
}

extension Typed<Items> {
    /// The number of an item to buy: 1 if the item was saved before items had numbers.
    var number: Int { self.savedNumber ?? 1 }
}

extension Typed where Fields: NamedFields {
    /// The name for display, or a dash if it is missing.
    var title: String { self.name.isEmpty ? "-" : self.name.printable }
}

import Foundation

@testable import Cabinet

/// The declarations of the tests of typed fields.
enum Colour: String, RecordValue, Codable { case red, green }

struct Size: JSONRecordValue, Equatable {
    struct Fields: JSONFields {
        let width = Field<Int>("width")
        let height = Field<Int>("height")
    }

    var width: Int
    var height: Int
}

struct Boxes: RecordFields {
    static let recordType = "Boxes"
    let name = Field<String>("name", index: .sortable)
    let number = Field<Int>("number", default: 1)
    let narrow = Field<Int8>("narrow", default: 0)
    let weight = Field<Double?>("weight")
    let ratio = Field<Float>("ratio", default: 0.5)
    let isOpen = Field<Bool>("isOpen", default: false)
    let colour = Field<Colour?>("colour", index: .queryable)
    let made = Field<Date?>("made")
    let bytes = Field<Data?>("bytes")
    let uuid = Field<UUID?>("uuid")
    let url = Field<URL?>("url")
    let place = Field<Location?>("place")
    let picture = Field<Asset?>("picture")
    let words = Field<[String]>("words")
    let colours = Field<[Colour]>("colours")
    let size = Field<Size?>("size")
    let untyped = Field<Reference?>("untyped")
    let shelf = Link<Shelves>("shelf", onDelete: .deleteSelf)
    let inside = Link<Boxes>("inside", onDelete: .nullify)
    let others = Links<Boxes>("others", onDelete: .deny)
    let owner = Link<OneOf<Shelves, Boxes>>("owner")

    var indexes: [[any FieldDeclaration]] { [[shelf, name], [colour, creationDate]] }
}
typealias Box = Typed<Boxes>

struct Shelves: RecordFields {
    static let recordType = "Shelves"
    let name = Field<String>("name", default: "shelf")
    let room = Link<Rooms>("room", onDelete: .deleteSelf)
}

/// A record type with the name of the structure.
struct Rooms: RecordFields {
    let name = Field<String>("name", default: "room")
}

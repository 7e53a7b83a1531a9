/// A declaration of a record type: its fields with their types, its indexes and its delete rules.
///
/// ```swift
/// struct Items: RecordFields {
///     static let recordType = "Items"
///     let name = Field<String>("name", index: .sortable)
///     let number = Field<Int>("number", default: 1)
///     let list = Link<Lists>("list", onDelete: .deleteSelf)
/// }
/// typealias Item = Typed<Items>
/// ```
///
/// The properties that are fields, links or lists of links are stored properties of the structure. A misspelled name, or
/// a value of another type, does not compile. <doc:TypedFields> describes every kind of declaration.
public protocol RecordFields: LinkTarget {
    /// The values that a program must give to create a record.
    ///
    /// By default there are none. Declare a structure of this name whose properties have the names of fields; its
    /// initializer then demands a value for each of them.
    associatedtype Required: Encodable & Sendable = NoRequiredFields

    /// The name of the record type in the database; by default that of the structure.
    ///
    /// Declare it where the two differ. Records stay under their name when the structure is renamed.
    static var recordType: Record.RecordType { get }

    /// The compound indexes of the record type; by default none.
    ///
    /// ```swift
    /// var indexes: [[any FieldDeclaration]] { [[list, name]] }
    /// ```
    var indexes: [[any FieldDeclaration]] { get }

    /// Creates the declaration; the compiler writes this initializer.
    init()
}

extension RecordFields {
    /// The name of the structure.
    public static var recordType: Record.RecordType { String(describing: Self.self) }

    /// No compound indexes.
    public var indexes: [[any FieldDeclaration]] { [] }

    /// Returns a filter that matches records that have one of the words in a searchable field.
    ///
    /// - Parameter words: The words, separated by blanks.
    public func matchesTokens(_ words: String) -> Filter { .text(words) }

    /// Returns a filter that matches records whose searchable fields have all words of a search, as people write it.
    ///
    /// ```swift
    /// contacts.all(where: { $0.search(text) }, by: \.relevance)
    /// ```
    ///
    /// - Parameter text: The search, see ``SearchText``. One without a word matches every record.
    public func search(_ text: String) -> Filter { .search(text) }

    /// The order of relevance to the search of the filter, see ``Sort/relevance``.
    public var relevance: Sort { .relevance }
}

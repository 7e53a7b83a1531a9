public import Cabinet

/// A text in CloudKit's schema language, as a value.
///
/// A `.ckdb` file says more than a ``/Cabinet/Schema``: roles, grants, and how a type was spelled. The document keeps all of it, so that
/// parsing and printing lose only comments and layout.
///
/// ```swift
/// let document = try SchemaDocument(parsing: text)
/// try await container.deploy(document.schema)
/// ```
///
/// <doc:SchemaLanguage> describes the language, and Cabinet's additions to it.
public struct SchemaDocument: Sendable, Hashable {
    /// The roles that the document creates, in the order of the text.
    public var roles: [String]

    /// The record types, in the order of the text.
    public var recordTypes: [RecordType]

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - roles: The roles that the document creates.
    ///   - recordTypes: The record types.
    public init(roles: [String] = [], recordTypes: [RecordType] = []) {
        self.roles = roles
        self.recordTypes = recordTypes
    }

    /// Parses a text in the schema language.
    ///
    /// - Parameters:
    ///   - text: The text, of at most ``maximumSize`` bytes.
    ///   - dialect: The language of the text; by default with Cabinet's additions.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the line and column of the first mistake. A text that is valid in
    ///   the language is also checked as ``/Cabinet/Schema/validate()`` does.
    /// - Complexity: O(*n*) in the length of the text.
    public init(parsing text: String, dialect: Dialect = .cabinet) throws(CabinetError) {
        var parser = try SchemaParser(text, dialect: dialect)
        self = try parser.document()
    }

    /// The maximum size of a text, in bytes.
    public static let maximumSize = 1 << 20
}

extension SchemaDocument {
    /// The languages that a text can be in.
    public enum Dialect: Sendable, Hashable {
        /// CloudKit's language with Cabinet's additions: INDEX, UNIQUE, ON DELETE, and the system field `___parent`.
        case cabinet

        /// CloudKit's language alone. Cabinet's additions are refused.
        case cloudKit
    }

    /// A record type of a document.
    public struct RecordType: Sendable, Hashable {
        /// The name of the type.
        public var name: Record.RecordType

        /// The fields in the order of the text; system fields have CloudKit's names, such as `___modTime`.
        public var fields: [Field]

        /// The compound indexes, which are Cabinet's addition.
        public var indexes: Set<[Record.FieldKey]>

        /// The lists of fields whose values no two records share, which are Cabinet's addition.
        public var uniqueKeys: Set<[Record.FieldKey]>

        /// The permissions that roles have in the public database.
        public var grants: [Grant]

        /// Creates a record type.
        ///
        /// - Parameters:
        ///   - name: The name of the type.
        ///   - fields: The fields; system fields have CloudKit's names.
        ///   - indexes: The compound indexes.
        ///   - uniqueKeys: The lists of fields whose values no two records share.
        ///   - grants: The permissions of roles.
        public init(
            name: Record.RecordType, fields: [Field] = [], indexes: Set<[Record.FieldKey]> = [],
            uniqueKeys: Set<[Record.FieldKey]> = [], grants: [Grant] = []
        ) {
            self.name = name
            self.fields = fields
            self.indexes = indexes
            self.uniqueKeys = uniqueKeys
            self.grants = grants
        }
    }

    /// A field of a document's record type.
    public struct Field: Sendable, Hashable {
        /// The name of the field.
        public var name: Record.FieldKey

        /// The type of the field's values, with its spelling.
        public var type: DataType

        /// The indexes that the field has.
        public var options: Schema.Field.Options

        /// The action that the field's references must have, which is Cabinet's addition; `nil` if the text does not say.
        public var deleteRule: Reference.Action?

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - name: The name of the field.
        ///   - type: The type of the field's values.
        ///   - options: The indexes that the field has.
        ///   - deleteRule: The action that the field's references must have.
        public init(
            name: Record.FieldKey, type: DataType, options: Schema.Field.Options = [],
            deleteRule: Reference.Action? = nil
        ) {
            self.name = name
            self.type = type
            self.options = options
            self.deleteRule = deleteRule
        }
    }

    /// The permissions of a role: `GRANT READ, WRITE TO Editor`.
    public struct Grant: Sendable, Hashable {
        /// The permissions.
        public var permissions: Set<Permission>

        /// The role: one that the document creates, or `_world`, `_icloud` or `_creator`.
        public var role: String

        /// Creates a grant.
        ///
        /// - Parameters:
        ///   - permissions: The permissions.
        ///   - role: The role.
        public init(_ permissions: Set<Permission>, to role: String) {
            self.permissions = permissions
            self.role = role
        }
    }

    /// A kind of access to the records of a type.
    public typealias Permission = Schema.Permission
}

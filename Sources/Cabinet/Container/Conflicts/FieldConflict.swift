/// A field that two clients have changed to different values.
public struct FieldConflict: Sendable, Hashable {
    /// The field's name, or `parent` for the record's parent.
    ///
    /// No field can have that name.
    public let key: Record.FieldKey

    let client: FieldValue?
    let server: FieldValue?
    let ancestor: FieldValue?

    /// Creates a conflict, for a test of a resolver.
    ///
    /// - Parameters:
    ///   - key: The field's name, or `parent`.
    ///   - clientValue: The value that the client tried to save; `nil` if it removed the value.
    ///   - serverValue: The value on the server; `nil` for none.
    ///   - ancestorValue: The value that the client had fetched; `nil` for none.
    public init(
        key: Record.FieldKey, clientValue: (any RecordValue)?, serverValue: (any RecordValue)?,
        ancestorValue: (any RecordValue)?
    ) {
        self.init(
            key: key, client: clientValue?.fieldValue, server: serverValue?.fieldValue,
            ancestor: ancestorValue?.fieldValue)
    }

    init(key: Record.FieldKey, client: FieldValue?, server: FieldValue?, ancestor: FieldValue?) {
        self.key = key
        self.client = client
        self.server = server
        self.ancestor = ancestor
    }

    /// The client's value, or `nil` if the field has none.
    public var clientValue: (any RecordValue)? { client?.recordValue }

    /// The server's value, or `nil` if the field has none.
    public var serverValue: (any RecordValue)? { server?.recordValue }

    /// The value that both versions are based on, or `nil` if there was none or the client never fetched the field.
    public var ancestorValue: (any RecordValue)? { ancestor?.recordValue }
}

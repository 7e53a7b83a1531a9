public import Cabinet

/// The parts of an answer that only a server can make: protected texts, URLs, and what it knows of users.
///
/// Each text that a client returns later, such as a sync token, a continuation marker or a receipt, passes through ``seal(_:for:)`` and
/// ``open(_:for:)``. A server binds it to the user there, and refuses one that it did not make.
public protocol CloudKitHost: Sendable {
    /// Protects a text that a client gets and returns unchanged.
    ///
    /// Law: ``open(_:for:)`` returns the text for the same caller. The result is printable ASCII.
    func seal(_ text: String, for caller: Caller) -> String

    /// Returns the text that was sealed.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if it was not sealed for the caller.
    func open(_ sealed: String, for caller: Caller) throws(CabinetError) -> String

    /// Returns the URL to which a client sends the bytes of an asset.
    func uploadURL(for slot: AssetSlot, caller: Caller) throws(CabinetError) -> String

    /// Returns the URL from which a client reads the bytes of a record's asset, or `nil` for none.
    func downloadURL(of asset: StoredAsset, in slot: AssetSlot, caller: Caller) -> String?

    /// Returns what is known of users, in the order of the lookups; `nil` for one that is not found.
    ///
    /// - Parameters:
    ///   - lookups: The lookups; `nil` for all users among the caller's contacts.
    ///   - caller: The user of the request.
    func users(_ lookups: [UserLookup]?, for caller: Caller) async throws -> [UserIdentity?]

    /// Creates a token for notifications, with the URL that a client polls.
    func createToken(environment: String, clientID: String?, for caller: Caller) async throws -> CourierToken

    /// Registers a token for notifications.
    func registerToken(_ token: String, environment: String, clientID: String?, for caller: Caller) async throws
}

/// The field of a record that has an asset, or will have it.
public struct AssetSlot: Sendable, Hashable {
    /// The database.
    public var scope: DatabaseScope
    /// The record.
    public var recordID: RecordID
    /// The record's type.
    public var recordType: Record.RecordType
    /// The field.
    public var fieldKey: Record.FieldKey

    /// Creates a slot.
    public init(
        scope: DatabaseScope, recordID: RecordID, recordType: Record.RecordType, fieldKey: Record.FieldKey
    ) {
        self.scope = scope
        self.recordID = recordID
        self.recordType = recordType
        self.fieldKey = fieldKey
    }
}

/// The parts of a user that others may know.
public struct UserIdentity: Sendable, Hashable {
    /// The record name of the user.
    public var userRecordName: String
    /// The given name.
    public var givenName: String?
    /// The family name.
    public var familyName: String?
    /// The e-mail address, if the lookup named it.
    public var emailAddress: String?

    /// Creates an identity.
    public init(
        userRecordName: String, givenName: String? = nil, familyName: String? = nil, emailAddress: String? = nil
    ) {
        (self.userRecordName, self.givenName) = (userRecordName, givenName)
        (self.familyName, self.emailAddress) = (familyName, emailAddress)
    }
}

/// A token for notifications.
public struct CourierToken: Sendable, Hashable {
    /// The token.
    public var token: String
    /// The URL that a client polls.
    public var courierURL: String

    /// Creates a token.
    public init(token: String, courierURL: String) {
        (self.token, self.courierURL) = (token, courierURL)
    }
}

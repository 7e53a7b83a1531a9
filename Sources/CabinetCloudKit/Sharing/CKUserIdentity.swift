import Cabinet
public import Foundation

/// A user, as other users see them.
// Unchecked, and safe: all properties are constants.
open class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The address with which a user is looked up.
    public typealias LookupInfo = CKUserIdentityLookupInfo

    /// The address with which the user was found.
    public let lookupInfo: LookupInfo?
    /// The ID of the user's record.
    public let userRecordID: CKRecord.ID?

    init(userRecordID: CKRecord.ID? = nil, lookupInfo: LookupInfo? = nil) {
        self.userRecordID = userRecordID
        self.lookupInfo = lookupInfo
    }

    /// The user's contacts in the address book, which Cabinet does not have.
    open var contactIdentifiers: [String] { [] }
    /// The user's name, which is unknown.
    open var nameComponents: PersonNameComponents? { nil }
    /// Whether the user has an account, which every user with a record ID is taken to have.
    open var hasiCloudAccount: Bool { userRecordID != nil }

    private static let lookupInfoKey = "CabinetLookupInfo"

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a user from an archive.
    public required init?(coder: NSCoder) {
        guard let ids: [RecordID] = coder.decodeContent() else { return nil }
        userRecordID = ids.first.map { CKRecord.ID($0) }
        lookupInfo =
            coder.containsValue(forKey: Self.lookupInfoKey)
            ? coder.decodeObject(of: LookupInfo.self, forKey: Self.lookupInfoKey) : nil
    }

    /// Writes the user into an archive.
    open func encode(with coder: NSCoder) {
        coder.encodeContent([userRecordID?.value].compactMap(\.self))
        if let lookupInfo { coder.encode(lookupInfo, forKey: Self.lookupInfoKey) }
    }

    /// Returns the user itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is the same user.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKUserIdentity else { return false }
        return other.userRecordID == userRecordID && other.lookupInfo == lookupInfo
    }

    /// A hash of the ID of the user's record.
    open override var hash: Int { userRecordID.hashValue }
}

/// The address with which a user is looked up. CloudKit's `CKUserIdentity.LookupInfo`.
///
/// A server finds users by the addresses that its list of users has, and a store by the IDs of their records alone.
// Unchecked, and safe: all properties are constants.
open class CKUserIdentityLookupInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The user's email address.
    public let emailAddress: String?
    /// The user's phone number.
    public let phoneNumber: String?
    /// The ID of the user's record.
    public let userRecordID: CKRecord.ID?

    private struct Content: Codable, Hashable {
        var emailAddress: String?
        var phoneNumber: String?
        var userRecordID: RecordID?
    }

    private init(_ content: Content) {
        emailAddress = content.emailAddress
        phoneNumber = content.phoneNumber
        userRecordID = content.userRecordID.map { CKRecord.ID($0) }
    }

    private var content: Content {
        Content(emailAddress: emailAddress, phoneNumber: phoneNumber, userRecordID: userRecordID?.value)
    }

    /// Creates an address from an email address.
    public convenience init(emailAddress: String) { self.init(Content(emailAddress: emailAddress)) }

    /// Creates an address from a phone number.
    public convenience init(phoneNumber: String) { self.init(Content(phoneNumber: phoneNumber)) }

    /// Creates an address from the ID of a user's record.
    public convenience init(userRecordID: CKRecord.ID) { self.init(Content(userRecordID: userRecordID.value)) }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads an address from an archive.
    public required convenience init?(coder: NSCoder) {
        guard let content: Content = coder.decodeContent() else { return nil }
        self.init(content)
    }

    /// Writes the address into an archive.
    open func encode(with coder: NSCoder) { coder.encodeContent(content) }

    /// Returns the address itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns a Boolean value that indicates whether another object is the same address.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CKUserIdentityLookupInfo)?.content == content }

    /// A hash of the address.
    open override var hash: Int { content.hashValue }
}

public import Foundation

/// A key of a zone's encrypted values, itself encrypted by one user for another, or for the same one.
///
/// The wrapped keys of a zone are stored with the zone, in its owner's database. Only a program with the recipient's secret key unwraps
/// one, and only a program with the sender's or the recipient's creates one.
public struct WrappedKey: Sendable, Hashable {
    /// The ID of the zone's key, which each ciphertext has.
    public let keyID: String

    /// The number of the zone's key among those of the zone: programs encrypt with the highest one.
    public let number: Int64

    /// The user that the key is encrypted for.
    public let recipient: KeyRecipient

    /// The public key of the user that has encrypted the key, which the ciphertext proves.
    public let sender: Data

    /// The encrypted key.
    public let ciphertext: Data

    /// Creates a wrapped key.
    public init(keyID: String, number: Int64, recipient: KeyRecipient, sender: Data, ciphertext: Data) {
        self.keyID = keyID
        self.number = number
        self.recipient = recipient
        self.sender = sender
        self.ciphertext = ciphertext
    }
}

/// A user with a public key: one that the keys of a zone are encrypted for, or that encrypts them for others.
public struct KeyRecipient: Sendable, Hashable {
    /// The record name of the user.
    public let userRecordName: String

    /// The user's public key.
    public let publicKey: Data

    /// Creates a recipient.
    public init(userRecordName: String, publicKey: Data) {
        self.userRecordName = userRecordName
        self.publicKey = publicKey
    }
}

/// The wrapped keys of a zone.
struct ZoneKeys: Sendable, Hashable {
    var zoneID = RecordZone.ID.default
    var keys: [WrappedKey] = []
    /// The greatest number of a key of the zone, for a participant, whose ``keys`` are without those of other users.
    var lastNumber: Int64?

    /// Adds keys that are not among these; none is ever replaced or removed.
    ///
    /// Two clients that add a key at the same time therefore both find both of them.
    mutating func add(_ new: [WrappedKey]) throws(CabinetError) {
        var known = Set(keys.map(\.identity))
        for key in new {
            try key.validate()
            if known.insert(key.identity).inserted { keys.append(key) }
        }
        if keys.count > Self.maximumCount {
            throw CabinetError(
                .limitExceeded,
                "The zone '\(zoneID)' would have \(keys.count) wrapped keys; at most \(Self.maximumCount) are stored.")
        }
    }

    private static let maximumCount = 2000
}

extension WrappedKey {
    /// The bytes that no two keys of a zone have in common.
    fileprivate var identity: [Data] {
        [Data(keyID.utf8), Data(recipient.userRecordName.utf8), recipient.publicKey, sender]
    }

    /// The greatest size of a key's parts in bytes.
    private static let maximumSize = 1024
    /// The greatest number, behind which later keys have more numbers than a zone has keys.
    private static let maximumNumber = Int64(Int32.max)

    /// Throws if the key is not one that a client may store.
    fileprivate func validate() throws(CabinetError) {
        try NameRule.userRecordName.validate(recipient.userRecordName)
        let sizes = [keyID.utf8.count, recipient.publicKey.count, sender.count, ciphertext.count]
        if (1...Self.maximumNumber).contains(number), sizes.allSatisfy({ (1...Self.maximumSize).contains($0) }) {
            return
        }
        throw CabinetError(
            .invalidArguments,
            "A wrapped key has a number from 1 to \(Self.maximumNumber), and parts of 1 to \(Self.maximumSize) bytes; this one has the number \(number) and "
                + "parts of \(sizes.map(\.description).joined(separator: ", ")) bytes.")
    }
}

extension WrappedKey: CodedObject {
    init() {
        self.init(
            keyID: "", number: 0, recipient: KeyRecipient(userRecordName: "", publicKey: Data()), sender: Data(),
            ciphertext: Data())
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        var (keyID, number, sender, ciphertext) = (keyID, number, sender, ciphertext)
        var (user, publicKey) = (recipient.userRecordName, recipient.publicKey)
        try coder.part("keyID", &keyID)
        try coder.part("number", &number)
        try coder.part("user", &user)
        try coder.part("publicKey", &publicKey)
        try coder.part("sender", &sender)
        try coder.part("ciphertext", &ciphertext)
        let recipient = KeyRecipient(userRecordName: user, publicKey: publicKey)
        self = WrappedKey(
            keyID: keyID, number: number, recipient: recipient, sender: sender, ciphertext: ciphertext)
    }
}

extension ZoneKeys: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("zone", &zoneID)
        try coder.part("keys", &keys)
        try coder.part("lastNumber", &lastNumber)
    }
}

extension ZoneKeys: ServiceValue {
    static var coding: ServiceCoding<Self> { ServiceCoding() }
}

import Foundation

/// The keys of a zone that a user can unwrap.
struct ZoneKeyring: Sendable {
    /// The keys by their IDs.
    private(set) var keys: [String: ZoneKey] = [:]
    /// The numbers of the keys.
    private(set) var numbers: [ZoneKey: Int64] = [:]
    /// The key that encrypts new values; `nil` if the user has none.
    private(set) var current: ZoneKey?
    /// The greatest number of a key of the zone, whether or not the user has it.
    private var lastNumber: Int64 = 0
    /// Whether the zone has keys for the user, also if the user's secret keys are not on this device.
    private(set) var isForUser = false
    /// Whether the user has revoked the secret keys that the zone's keys are encrypted for.
    private(set) var isLost = false

    /// The number of the zone's next key.
    ///
    /// - Throws: ``CabinetError/Code/internalError`` if no number is left, which damaged keys alone lead to.
    var nextNumber: Int64 {
        get throws(CabinetError) {
            let (next, isPast) = lastNumber.addingReportingOverflow(1)
            if isPast { throw CabinetError(.internalError, "The keys of the zone are damaged: no number is left.") }
            return next
        }
    }

    /// Creates a keyring without keys.
    init() {}

    /// Unwraps the keys of a zone.
    ///
    /// A wrapped key that is damaged counts as missing.
    init(
        _ stored: [WrappedKey], of user: String, _ userKeys: UserKeys, context: Data, cipher: any ValueCipher
    ) throws {
        let publicKeys = try userKeys.secretKeys.map { try cipher.publicKey(of: $0) }
        var recipients: Set<Data> = []
        var currentNumber: Int64 = 0
        for key in stored {
            lastNumber = max(lastNumber, key.number)
            guard key.recipient.userRecordName == user else { continue }
            recipients.insert(key.recipient.publicKey)
            guard let position = publicKeys.firstIndex(of: key.recipient.publicKey),
                let zoneKey = try? cipher.unwrap(key, with: userKeys.secretKeys[position], context: context)
            else { continue }
            keys[zoneKey.id] = zoneKey
            numbers[zoneKey] = key.number
            // Two clients that create a key at the same time use the same one afterwards.
            if current == nil || (key.number, current?.id ?? "") > (currentNumber, zoneKey.id) {
                (current, currentNumber) = (zoneKey, key.number)
            }
        }
        isForUser = !recipients.isEmpty
        isLost = isForUser && recipients.isSubset(of: userKeys.revokedPublicKeys)
    }
}

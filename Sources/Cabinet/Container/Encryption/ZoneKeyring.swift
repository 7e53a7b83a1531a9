import Foundation

/// The keys of a zone that a user can unwrap, and whose sender the user accepts.
struct ZoneKeyring: Sendable {
    /// The keys by their IDs.
    private(set) var keys: [String: ZoneKey] = [:]
    /// The numbers of the keys.
    private(set) var numbers: [ZoneKey: Int64] = [:]
    /// The key that encrypts new values: the zone's newest one; `nil` if the user does not have it.
    private(set) var current: ZoneKey?
    /// The sender of the newest key that the user could unwrap, but does not accept; `nil` if no key is refused.
    private(set) var refusedSender: Data?
    /// The greatest number that a key of the zone can have, whether or not the user has the key.
    private var lastNumber: Int64 = 0
    /// Whether the zone has keys for the user, also if the user's secret keys are not on this device.
    private(set) var isForUser = false
    /// Whether the user has revoked the secret keys that the zone's keys are encrypted for.
    private(set) var isLost = false

    /// The number of the zone's next key.
    ///
    /// - Throws: ``CabinetError/Code/internalError`` if no number is left, which a forged answer to a participant alone leads to.
    var nextNumber: Int64 {
        get throws(CabinetError) {
            let (next, isPast) = lastNumber.addingReportingOverflow(1)
            if isPast { throw CabinetError(.internalError, "The keys of the zone are damaged: no number is left.") }
            return next
        }
    }

    /// The error of a value whose key is missing, and of a save without the zone's newest key.
    var missingKey: CabinetError {
        CabinetError(
            .permissionFailure,
            refusedSender == nil
                ? "The key store of this device has no key of the zone, or not its newest one. If another device of the user has it, copy "
                    + "the secret keys from there, or give the zone a new key with rotateKey(ofZoneWith:for:); in another user's zone, "
                    + "have the owner share the zone's keys."
                : "A key of the zone was encrypted by a secret key that is neither the user's on this device nor the accepted one of the "
                    + "zone's owner. If another device of the user has created it, copy the secret keys from there; if the owner has "
                    + "a new public key, receive it from the owner, and accept it with acceptKeys(from:). Otherwise the store was forged: "
                    + "give an own zone a new key with rotateKey(ofZoneWith:for:)."
        )
    }

    /// Creates a keyring without keys.
    init() {}

    /// Unwraps the keys of a zone.
    ///
    /// A damaged or forged key is missing, but its number is in use. A device cannot distinguish a forged key from one that another
    /// secret key of the user has wrapped. So it encrypts nothing, rather than with a key that may be replaced. A number is ignored if it
    /// is greater than the other keys can have led to from the newest key of an accepted sender: otherwise it could leave no next number.
    ///
    /// - Parameter senders: The public keys of the users whose keys are accepted: the store, which has the recipient's public key, could
    ///   otherwise choose the key of new values.
    init(
        _ stored: ZoneKeys, of user: String, _ userKeys: UserKeys, from senders: Set<Data>, context: Data,
        cipher: any ValueCipher
    ) throws {
        let publicKeys = try userKeys.secretKeys.map { try cipher.publicKey(of: $0) }
        var recipients: Set<Data> = []
        var (currentNumber, refusedNumber): (Int64, Int64) = (0, 0)
        for key in stored.keys where key.number > 0 {
            guard key.recipient.userRecordName == user else { continue }
            recipients.insert(key.recipient.publicKey)
            guard let position = publicKeys.firstIndex(of: key.recipient.publicKey),
                let zoneKey = try? cipher.unwrap(key, with: userKeys.secretKeys[position], context: context)
            else { continue }
            guard senders.contains(key.sender) else {
                if key.number > refusedNumber { (refusedSender, refusedNumber) = (key.sender, key.number) }
                continue
            }
            keys[zoneKey.id] = zoneKey
            numbers[zoneKey] = key.number
            // Two clients that create a key at the same time use the same one afterwards.
            if current == nil || (key.number, current?.id ?? "") > (currentNumber, zoneKey.id) {
                (current, currentNumber) = (zoneKey, key.number)
            }
        }
        lastNumber = max(currentNumber, stored.lastNumber ?? 0)
        // A key that this device does not have was created with the next number at most.
        let others = Set(stored.keys.map(\.keyID)).subtracting(keys.keys).count
        for key in stored.keys where key.number > lastNumber && key.number - currentNumber <= others {
            lastNumber = key.number
        }
        if currentNumber < lastNumber { current = nil }
        isForUser = !recipients.isEmpty
        isLost = isForUser && recipients.isSubset(of: userKeys.revokedPublicKeys)
    }
}

public import Cabinet
public import Foundation
import Synchronization

/// A key store in memory and a cipher that hides nothing, for tests without a cryptography library.
///
/// A ciphertext is the value with every bit inverted, behind its key and a checksum of the secrets and the context. Wrong keys and moved
/// ciphertexts are therefore found as those of a real cipher are.
///
/// ```swift
/// let keys = TestEncryption()
/// let container = try Container(
///     identifier: "com.example.diary", backend: MemoryBackend()
/// ).encrypting(with: keys.encryption)
/// ```
public final class TestEncryption: KeyStore, ValueCipher {
    private let keys = Mutex<[String: UserKeys]>([:])

    /// Creates a key store without keys.
    public init() {}

    /// The key store and the cipher.
    public var encryption: Encryption { Encryption(keyStore: self, cipher: self) }

    /// Returns the keys of a user, and creates one for a user without any.
    public func keys(
        of userRecordName: String, in containerIdentifier: String, creatingWith makeKey: @Sendable () throws -> Data
    ) async throws -> UserKeys {
        if let known = keys.withLock({ $0[userRecordName] }) { return known }
        let new = try makeKey()
        return keys.withLock { keys in
            let known = keys[userRecordName] ?? UserKeys(secretKeys: [new])
            keys[userRecordName] = known
            return known
        }
    }

    /// Remembers the public key of another user, from whom a user accepts keys.
    public func accept(
        _ owner: KeyRecipient, replacing isReplacing: Bool, for userRecordName: String, in containerIdentifier: String
    ) async throws {
        keys.withLock { keys in
            if !isReplacing, keys[userRecordName]?.acceptedKeys[owner.userRecordName] != nil { return }
            keys[userRecordName]?.acceptedKeys[owner.userRecordName] = owner.publicKey
        }
    }

    /// Replaces the secret keys of all users, who revoke the old ones.
    public func revokeKeys() {
        keys.withLock { keys in
            keys = keys.mapValues { known in
                let lost = known.revokedPublicKeys.union(known.secretKeys.map(Self.checksum))
                return UserKeys(
                    secretKeys: [Self.random()], revokedPublicKeys: lost, acceptedKeys: known.acceptedKeys)
            }
        }
    }

    private static func random() -> Data { Data("\(UUID())".utf8) }

    /// Returns a new secret key.
    public func makeSecretKey() throws -> Data { Self.random() }

    /// Returns the public key of a secret key, which is its checksum.
    public func publicKey(of secretKey: Data) throws -> Data { Self.checksum(secretKey) }

    /// Returns a new key of a zone.
    public func makeZoneKey() throws -> ZoneKey { ZoneKey(id: "\(UUID())", secret: Self.random()) }

    /// Hides a zone's key, which is of no use without the recipient's public key.
    public func wrap(
        _ key: ZoneKey, number: Int64, for recipient: KeyRecipient, from senderKey: Data, context: Data
    ) throws -> WrappedKey {
        let sender = Self.checksum(senderKey)
        let secret = Self.sealed(key.secret, recipient.publicKey + sender + context)
        return WrappedKey(
            keyID: key.id, number: number, recipient: recipient, sender: sender, ciphertext: secret)
    }

    /// Returns a zone's key.
    public func unwrap(_ key: WrappedKey, with secretKey: Data, context: Data) throws -> ZoneKey {
        ZoneKey(id: key.keyID, secret: try Self.opened(key.ciphertext, Self.checksum(secretKey) + key.sender + context))
    }

    /// Hides a value.
    public func encrypt(_ value: Data, with key: ZoneKey, context: Data) throws -> Data {
        Data("\(key.id) \(UUID()) ".utf8) + Self.sealed(value, key.secret + context)
    }

    /// Returns the key of a value.
    public func keyID(of ciphertext: Data) -> String? { Self.parts(of: ciphertext)?.keyID }

    /// Returns a hidden value.
    public func decrypt(_ ciphertext: Data, with key: ZoneKey, context: Data) throws -> Data {
        guard let sealed = Self.parts(of: ciphertext)?.sealed else { throw Self.refusal }
        return try Self.opened(sealed, key.secret + context)
    }

    private static func parts(of ciphertext: Data) -> (keyID: String, sealed: Data)? {
        let parts = ciphertext.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? (String(decoding: parts[0], as: UTF8.self), Data(parts[2])) : nil
    }

    private static func sealed(_ bytes: Data, _ secret: Data) -> Data {
        checksum(bytes + secret) + Data(bytes.map { ~$0 })
    }

    private static func opened(_ sealed: Data, _ secret: Data) throws -> Data {
        let bytes = Data(sealed.dropFirst(checksumSize).map { ~$0 })
        guard sealed.count >= checksumSize, Data(sealed.prefix(checksumSize)) == checksum(bytes + secret) else {
            throw refusal
        }
        return bytes
    }

    private static let checksumSize = 32

    private static func checksum(_ bytes: Data) -> Data { Data(Asset.Checksum(of: bytes).bytes) }

    private static var refusal: CabinetError {
        CabinetError(.internalError, "The bytes were hidden with another key, or for another field.")
    }
}

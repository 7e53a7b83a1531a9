public import Foundation

/// The secret keys of users, which no store and no server has.
///
/// `FileKeyStore` of the module `CabinetEncryption` keeps them in files. Write your own to keep them in a keychain.
public protocol KeyStore: Sendable {
    /// Returns the keys of a user.
    ///
    /// Law: the secret keys are those of all earlier calls, also in another process, unless the user has revoked them. Two first
    /// calls at the same time return the same key.
    ///
    /// - Parameters:
    ///   - userRecordName: The record name of the user.
    ///   - containerIdentifier: The identifier of the container.
    ///   - makeKey: Creates a key, which the store keeps durably before it returns it, for a user without one.
    /// - Throws: A ``CabinetError`` if the keys cannot be read or kept.
    func keys(
        of userRecordName: String, in containerIdentifier: String, creatingWith makeKey: @Sendable () throws -> Data
    ) async throws -> UserKeys

    /// Remembers the public key of another user, from whom a user accepts the keys of shared zones.
    ///
    /// Law: later calls of ``keys(of:in:creatingWith:)`` return it in ``UserKeys/acceptedKeys``, also in another process. Unless a call
    /// replaces, it keeps the key of an earlier one.
    ///
    /// - Parameters:
    ///   - owner: The other user.
    ///   - isReplacing: Whether the key replaces one that was accepted before.
    ///   - userRecordName: The record name of the user, who has keys.
    ///   - containerIdentifier: The identifier of the container.
    /// - Throws: A ``CabinetError`` if the key cannot be kept.
    func accept(
        _ owner: KeyRecipient, replacing isReplacing: Bool, for userRecordName: String, in containerIdentifier: String
    ) async throws
}

/// The keys of a user.
public struct UserKeys: Sendable, Hashable {
    /// The secret keys that the user has, the current one first.
    public var secretKeys: [Data]

    /// The public keys of the secret keys that the user has revoked.
    ///
    /// A zone whose keys are encrypted for these alone is reported as reset, so that programs delete it. A key that is only
    /// missing on this device must not be among them.
    public var revokedPublicKeys: Set<Data>

    /// The public keys of other users, from whom the user accepts the keys of shared zones, by their record names.
    public var acceptedKeys: [String: Data]

    /// Creates keys.
    ///
    /// - Parameters:
    ///   - secretKeys: The secret keys that the user has, the current one first.
    ///   - revokedPublicKeys: The public keys of the secret keys that the user has revoked.
    ///   - acceptedKeys: The public keys of other users that the user has accepted, by their record names.
    public init(secretKeys: [Data], revokedPublicKeys: Set<Data> = [], acceptedKeys: [String: Data] = [:]) {
        self.secretKeys = secretKeys
        self.revokedPublicKeys = revokedPublicKeys
        self.acceptedKeys = acceptedKeys
    }
}

extension UserKeys: CustomStringConvertible, CustomReflectable {
    /// The number of the keys, never a secret.
    public var description: String { "\(secretKeys.count) secret keys, \(revokedPublicKeys.count) lost ones" }

    /// A mirror without the secrets, which must not get into logs.
    public var customMirror: Mirror { Mirror(self, children: ["count": secretKeys.count]) }
}

/// The algorithms that encrypt values and keys.
///
/// The module `CabinetEncryption` has them: AES-256-GCM and X25519. All functions are pure, except that keys and ciphertexts are random.
public protocol ValueCipher: Sendable {
    /// Returns a new secret key of a user.
    func makeSecretKey() throws -> Data

    /// Returns the public key of a secret key.
    ///
    /// - Throws: A ``CabinetError`` if the bytes are not a secret key.
    func publicKey(of secretKey: Data) throws -> Data

    /// Returns a new key for the values of a zone.
    func makeZoneKey() throws -> ZoneKey

    /// Encrypts a zone's key for a user.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - number: The key's number in its zone.
    ///   - recipient: The user.
    ///   - senderKey: The secret key of the user that encrypts, without which only the recipient could create the result.
    ///   - context: Bytes that name the zone; only with the same bytes can the key be unwrapped.
    /// - Throws: A ``CabinetError`` if the recipient's public key or the sender's secret key is not one.
    func wrap(
        _ key: ZoneKey, number: Int64, for recipient: KeyRecipient, from senderKey: Data, context: Data
    ) throws -> WrappedKey

    /// Decrypts a zone's key by the secret key of its recipient.
    ///
    /// - Throws: A ``CabinetError`` if the secret key is not the recipient's, another user than the sender has created the wrapped key, the
    ///   context differs, or the wrapped key is damaged.
    func unwrap(_ key: WrappedKey, with secretKey: Data, context: Data) throws -> ZoneKey

    /// Encrypts a value.
    ///
    /// - Parameters:
    ///   - value: The value's bytes.
    ///   - key: The key of the record's zone.
    ///   - context: Bytes that name the field; only with the same bytes can the value be decrypted.
    /// - Throws: A ``CabinetError`` if the key is not one of the cipher, or the value is too long for it.
    func encrypt(_ value: Data, with key: ZoneKey, context: Data) throws -> Data

    /// Returns the ID of the zone's key that a value was encrypted with, or `nil` if the bytes are not a ciphertext of this cipher.
    func keyID(of ciphertext: Data) -> String?

    /// Decrypts a value.
    ///
    /// - Throws: A ``CabinetError`` if the key or the context differs, or the ciphertext is damaged.
    func decrypt(_ ciphertext: Data, with key: ZoneKey, context: Data) throws -> Data
}

/// The key of a zone's encrypted values.
public struct ZoneKey: Sendable, Hashable {
    /// The key's ID, which each ciphertext has.
    public let id: String

    /// The secret.
    public let secret: Data

    /// Creates a key.
    public init(id: String, secret: Data) {
        self.id = id
        self.secret = secret
    }
}

extension ZoneKey: CustomStringConvertible, CustomReflectable {
    /// The key's ID, never its secret.
    public var description: String { "zone key \(id)" }

    /// A mirror without the secret, which must not get into logs.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The keys and the algorithms that encrypt a container's values.
public struct Encryption: Sendable {
    /// The secret keys of users.
    public let keyStore: any KeyStore

    /// The algorithms.
    public let cipher: any ValueCipher

    /// Creates an encryption.
    public init(keyStore: any KeyStore, cipher: any ValueCipher) {
        self.keyStore = keyStore
        self.cipher = cipher
    }
}

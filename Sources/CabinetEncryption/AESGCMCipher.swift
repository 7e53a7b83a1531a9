public import Cabinet
public import Foundation

/// The cipher of encrypted values: AES-256-GCM for values and keys, X25519 and HKDF-SHA256 to wrap keys for users.
///
/// Each value is encrypted with a key of its own, which is derived from the zone's key and the value's field, record, zone, owner and
/// container. A ciphertext that is moved cannot be decrypted. On Apple's systems the algorithms are CryptoKit's, elsewhere
/// OpenSSL's.
public struct AESGCMCipher: ValueCipher {
    /// Creates the cipher.
    public init() {}

    /// Returns a new secret key of a user: 32 random bytes.
    public func makeSecretKey() throws -> Data { Data(RandomBytes.make(X25519.keySize)) }

    /// Returns the public key of a secret key.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the bytes are not a secret key.
    public func publicKey(of secretKey: Data) throws -> Data {
        if let publicKey = X25519.publicKey(of: secretKey) { return publicKey }
        throw CabinetError(
            .invalidArguments,
            "A secret key has \(X25519.keySize) bytes; the key store has returned \(secretKey.count).")
    }

    /// Returns a new key for the values of a zone: 32 random bytes, and an ID that is derived from them.
    public func makeZoneKey() throws -> ZoneKey { try Self.zoneKey(Data(RandomBytes.make(AESGCM.keySize))) }

    private static func zoneKey(_ secret: Data) throws(CabinetError) -> ZoneKey {
        let id = try HKDF.key(from: secret, info: Data("Cabinet key ID 1".utf8)).prefix(CiphertextHeader.keyIDSize)
        return ZoneKey(id: id.hexadecimal, secret: secret)
    }

    /// Encrypts a zone's key for a user: with the secrets that a new key pair and the sender's share with the user's public key.
    ///
    /// This is the authenticated mode of RFC 9180: only the sender and the recipient can create the result.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the recipient's public key or the sender's secret key is not one.
    public func wrap(
        _ key: ZoneKey, number: Int64, for recipient: KeyRecipient, from senderKey: Data, context: Data
    ) throws -> WrappedKey {
        let ephemeral = Data(RandomBytes.make(X25519.keySize))
        let sender = try publicKey(of: senderKey)
        guard let publicKey = X25519.publicKey(of: ephemeral),
            let shared = X25519.sharedSecret(of: ephemeral, with: recipient.publicKey),
            let authentic = X25519.sharedSecret(of: senderKey, with: recipient.publicKey)
        else {
            throw CabinetError(.invalidArguments, "The public key of \(recipient.userRecordName) is not valid.")
        }
        let context = Self.wrappingContext(context, key.id, number, recipient)
        let wrappingKey = try HKDF.key(
            from: shared + authentic, salt: publicKey + recipient.publicKey + sender, info: context)
        let nonce = Data(RandomBytes.make(AESGCM.nonceSize))
        let sealed = try AESGCM.seal(key.secret, key: wrappingKey, nonce: nonce, authenticating: context)
        return WrappedKey(
            keyID: key.id, number: number, recipient: recipient, sender: sender,
            ciphertext: Data([Self.wrappingVersion]) + publicKey + nonce + sealed)
    }

    /// The version of wrapped keys; the first one, which was never released, did not authenticate the sender.
    private static let wrappingVersion: UInt8 = 2

    /// Decrypts a zone's key by the secret key of its recipient.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/permissionFailure`` if the secret key is not the recipient's, the sender has not created the
    ///   wrapped key, the context differs, or the wrapped key is damaged.
    public func unwrap(_ key: WrappedKey, with secretKey: Data, context: Data) throws -> ZoneKey {
        let refusal = CabinetError(
            .permissionFailure,
            "A key of the zone cannot be unwrapped: it is damaged or forged, or the user's secret key is another one.")
        let bytes = key.ciphertext
        guard bytes.count > 1 + X25519.keySize + AESGCM.nonceSize, bytes.first == Self.wrappingVersion else {
            throw refusal
        }
        let publicKey = Data(bytes.dropFirst().prefix(X25519.keySize))
        let rest = bytes.dropFirst(1 + X25519.keySize)
        let context = Self.wrappingContext(context, key.keyID, key.number, key.recipient)
        guard let shared = X25519.sharedSecret(of: secretKey, with: publicKey),
            let authentic = X25519.sharedSecret(of: secretKey, with: key.sender)
        else { throw refusal }
        let wrappingKey = try HKDF.key(
            from: shared + authentic, salt: publicKey + key.recipient.publicKey + key.sender, info: context)
        let secret = AESGCM.open(
            Data(rest.dropFirst(AESGCM.nonceSize)), key: wrappingKey, nonce: Data(rest.prefix(AESGCM.nonceSize)),
            authenticating: context)
        guard let secret, secret.count == AESGCM.keySize else { throw refusal }
        let zoneKey = try Self.zoneKey(secret)
        guard zoneKey.id == key.keyID else { throw refusal }
        return zoneKey
    }

    private static func wrappingContext(
        _ context: Data, _ keyID: String, _ number: Int64, _ recipient: KeyRecipient
    ) -> Data {
        var bytes = context
        for part in [Data(keyID.utf8), Data("\(number)".utf8), Data(recipient.userRecordName.utf8)] {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(part)
        }
        return bytes
    }

    /// Encrypts a value.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/limitExceeded`` for a value of 2 gigabytes or more, and
    ///   ``/Cabinet/CabinetError/Code/invalidArguments`` if the key is not one of ``makeZoneKey()``.
    public func encrypt(_ value: Data, with key: ZoneKey, context: Data) throws -> Data {
        guard let keyID = Data(hexadecimal: key.id), keyID.count == CiphertextHeader.keyIDSize else {
            throw CabinetError(.invalidArguments, "'\(key.id)' is not the ID of a key.")
        }
        let header = CiphertextHeader(keyID: keyID)
        return header.bytes
            + (try AESGCM.seal(
                value, key: Self.valueKey(key, context), nonce: header.nonce, authenticating: header.bytes + context))
    }

    /// Returns the ID of the zone's key that a value was encrypted with, or `nil` if the bytes are not a ciphertext of this version.
    public func keyID(of ciphertext: Data) -> String? { CiphertextHeader(ciphertext)?.keyID.hexadecimal }

    /// Decrypts a value.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/internalError`` if the key or the context differs, or the ciphertext is damaged.
    public func decrypt(_ ciphertext: Data, with key: ZoneKey, context: Data) throws -> Data {
        guard let header = CiphertextHeader(ciphertext),
            let value = try AESGCM.open(
                Data(ciphertext.dropFirst(CiphertextHeader.size)), key: Self.valueKey(key, context),
                nonce: header.nonce, authenticating: header.bytes + context)
        else { throw CabinetError(.internalError, "The ciphertext is damaged, or belongs to another field or key.") }
        return value
    }

    private static func valueKey(_ key: ZoneKey, _ context: Data) throws(CabinetError) -> Data {
        try HKDF.key(from: key.secret, info: Data("Cabinet value key 1".utf8) + context)
    }
}

extension Encryption {
    /// Creates an encryption with ``AESGCMCipher``.
    ///
    /// - Parameter keyStore: The secret keys of users.
    public init(keyStore: any KeyStore) {
        self.init(keyStore: keyStore, cipher: AESGCMCipher())
    }
}

import Cabinet
import CabinetWire
public import Foundation

extension AccountStore {
    /// The public key of a server that signs its requests, for the public database in CloudKit's dialect.
    public struct ServerKey: Sendable, Hashable, Codable {
        /// The name by which an operator knows the key.
        public let name: String
        /// The ID, with which requests name the key.
        public let keyID: String
        /// The record name of the key's own user, who is the creator of its records.
        public let userRecordName: String
        /// The public key in PEM.
        let publicKey: String
        /// The date on which the key was added.
        public let date: Date

        static func key(_ id: String) -> StorageKey { StorageKey("account", "key", id) }
    }

    /// Adds a key.
    ///
    /// - Parameters:
    ///   - name: The name by which an operator knows the key.
    ///   - publicKey: The public key of ECDSA on P-256, in PEM, as `openssl ec -pubout` writes it.
    /// - Returns: The key, with a new ID and a new user.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the name is malformed or taken, or the key is another one, and the
    ///   errors of the store.
    public func addKey(_ name: String, publicKey: String) async throws -> ServerKey {
        try Self.check(name)
        guard ECDSASignature.isPublicKey(publicKey) else {
            throw CabinetError(
                .invalidArguments,
                "The file is not a public key of ECDSA on P-256 in PEM. Make one: openssl ec -in key.pem -pubout")
        }
        let key = ServerKey(
            name: name, keyID: RandomBytes.hexadecimal(32), userRecordName: "_\(RandomBytes.hexadecimal(16))",
            publicKey: publicKey, date: now()
        )
        try await backend.write(Self.database) { transaction in
            let entries = try await transaction.entries(in: StorageKey.all("account", "key"), limit: .max)
            if try entries.contains(where: { (try StorageEntry.value($0.text) as ServerKey).name == name }) {
                throw CabinetError(.invalidArguments, "There is a key '\(name)' already.")
            }
            try await transaction.apply([.setEntry(ServerKey.key(key.keyID), try StorageEntry.text(key))])
        }
        return key
    }

    /// Returns all keys, by name.
    ///
    /// - Throws: The errors of the store.
    public func keys() async throws -> [ServerKey] {
        let keys: [ServerKey] = try await values(StorageKey.all("account", "key"))
        return keys.sorted { $0.name < $1.name }
    }

    /// Removes a key; its records stay.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/unknownItem`` if there is no such key, and the errors of the store.
    public func revokeKey(_ name: String) async throws {
        guard let key = try await keys().first(where: { $0.name == name }) else {
            throw CabinetError(.unknownItem, "There is no key '\(name)'.")
        }
        try await backend.write(Self.database) { transaction in
            try await transaction.apply([.setEntry(ServerKey.key(key.keyID), nil)])
        }
    }

    /// The error of each failure, so that no client learns which keys exist.
    private static let invalidSignature = AuthenticationError.failed("The signature is not valid.")

    /// Returns the key that a request names, and the date that it says to be signed at, if that is near.
    func signingKey(
        _ keyID: String, _ request: HTTPRequest
    ) async throws -> (key: ServerKey, date: String, signed: Date) {
        guard let date = request.headerFields[.cloudKitDate], let signed = Self.date(date),
            signed.timeIntervalSince(now()).magnitude <= 600, keyID.utf8.count == 64
        else { throw Self.invalidSignature }
        let key: ServerKey? = try await backend.read(Self.database) { try await $0.value(ServerKey.key(keyID)) }
        guard let key else { throw Self.invalidSignature }
        return (key, date, signed)
    }

    /// Returns the user of the key that has signed a request.
    func authenticateServer(_ keyID: String, _ request: HTTPRequest, body: Data) async throws -> Authentication {
        guard let coded = request.headerFields[.cloudKitSignature].flatMap({ Data(base64Encoded: $0) }),
            let signature = ECDSASignature(der: Array(coded))
        else { throw Self.invalidSignature }
        let (key, date, signed) = try await signingKey(keyID, request)
        let isValid = Self.hashes(of: body).contains { hash in
            signature.isValid(for: Array("\(date):\(hash):\(request.path)".utf8), by: key.publicKey)
        }
        guard isValid else { throw Self.invalidSignature }
        if Self.changes(request), try await !isFirst(signature, by: keyID, at: signed) {
            throw AuthenticationError.failed("The signature was used before. Sign each request again.")
        }
        return Authentication(Account(userRecordName: key.userRecordName), isServer: true)
    }

    /// The hashes by which a body may stand in the signed text: that of an empty one is empty, and some clients hash it nevertheless.
    private static func hashes(of body: Data) -> [String] {
        let hash = Data(Asset.Checksum(of: body).bytes).base64EncodedString()
        return body.isEmpty ? ["", hash] : [hash]
    }

    /// Reads a date in the one form that is signed: `2026-01-25T22:15:43Z`.
    private static func date(_ text: String) -> Date? {
        guard text.utf8.count == 20, text.hasSuffix("Z") else { return nil }
        return try? Date(text, strategy: .iso8601)
    }

    /// Whether a repetition of the request may change something.
    private static func changes(_ request: HTTPRequest) -> Bool {
        guard let target = try? request.target(),
            let route = try? CloudKitRoute(method: request.method.rawValue, target: target)
        else { return true }
        return route.operation.changes
    }

    // MARK: - Replays

    /// The seconds for which a signature is remembered at least after its date: longer than the date is accepted, also by a server whose
    /// clock is minutes behind.
    private static let period: TimeInterval = 1_200

    /// Remembers a signature for all servers of the store, and returns whether it is used for the first time.
    ///
    /// A text has two signatures with the same first number, and a client that knows one can compute the other. So the number is remembered.
    ///
    /// - Parameter signed: The date in the signed text, which is the same for all servers, while their clocks differ.
    func isFirst(_ signature: ECDSASignature, by keyID: String, at signed: Date) async throws -> Bool {
        func key(_ date: Date, _ names: String) -> StorageKey {
            let digits = String(Int(max(0, min(date.timeIntervalSince1970 / Self.period, 1e12))))
            let padded = String(repeating: "0", count: max(0, 13 - digits.utf8.count)) + digits
            return StorageKey("account", "signature", padded, names)
        }
        let name = keyID + URLBase64.encode(signature.r)
        let own = key(signed, name)
        let expired = StorageKey.all("account", "signature").lowerBound..<key(now() - Self.period, "")
        return try await backend.write(Self.database) { transaction in
            let known = try await transaction.load(StorageKeys(entries: [own])).entries
            if known.contains(where: { $0 != nil }) { return false }
            let old = expired.isEmpty ? [] : try await transaction.entries(in: expired, limit: 16)
            try await transaction.apply(old.map { .setEntry($0.key, nil) } + [.setEntry(own, "")])
            return true
        }
    }
}

extension HTTPField.Name {
    fileprivate static let cloudKitDate = Self(known: "X-Apple-CloudKit-Request-ISO8601Date")
    fileprivate static let cloudKitSignature = Self(known: "X-Apple-CloudKit-Request-SignatureV1")
}

import Foundation
import Synchronization

/// Encrypts the values of records before a request leaves the container, and decrypts those of responses.
final class RecordEncryption: Sendable {
    let encryption: Encryption
    let containerIdentifier: String
    private let service: any DatabaseService
    private let caller: Caller
    /// The keyrings of zones, by which most responses are decrypted without a request for keys.
    private let keyrings = Mutex<[Zone: ZoneKeyring]>([:])

    private static let maximumKeyrings = 500

    /// A zone of a database.
    private struct Zone: Hashable {
        let scope: DatabaseScope
        let zoneID: RecordZone.ID
    }

    init(_ encryption: Encryption, containerIdentifier: String, service: any DatabaseService, caller: Caller) {
        self.encryption = encryption
        self.containerIdentifier = containerIdentifier
        self.service = service
        self.caller = caller
    }

    private var cipher: any ValueCipher { encryption.cipher }

    private var user: String {
        get throws(CabinetError) {
            guard let user = caller.userRecordName else { throw AccountRule.notAuthenticated }
            return user
        }
    }
}

extension RecordEncryption {
    /// Returns a request whose records have ciphertexts alone.
    ///
    /// A record whose value cannot be encrypted fails by itself.
    func encrypted(_ request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest {
        guard
            request.recordsToSave.contains(where: { $0.fields.firstEncryptedKey != nil || $0.hasFetchedEncryptedValues }
            )
        else { return request }
        var request = request
        var current: [RecordZone.ID: ZoneKey] = [:]
        for record in request.recordsToSave where record.fields.firstUnencryptedKey != nil {
            let zoneID = OwnerRule(user: caller.userRecordName).canonical(record.recordID.zoneID)
            if let violation = EncryptionRule.violation(saving: record, in: request.scope) {
                request.refusals[record.recordID] = violation
            } else if current[zoneID] == nil {
                current[zoneID] = try await currentKey(of: zoneID, in: request.scope)
            }
        }
        for position in request.recordsToSave.indices {
            let record = request.recordsToSave[position]
            let zoneID = OwnerRule(user: caller.userRecordName).canonical(record.recordID.zoneID)
            do throws(CabinetError) {
                let ciphertexts = try ciphertexts(of: record, key: current[zoneID])
                request.recordsToSave[position] = record.mappingFields { $0.withCiphertexts(ciphertexts) }
            } catch {
                request.refusals[record.recordID] = request.refusals[record.recordID] ?? error
                request.recordsToSave[position] = record.mappingFields { $0.withCiphertexts([:]) }
            }
        }
        return request
    }

    /// Returns the ciphertexts of the values that have none.
    private func ciphertexts(of record: Record, key: ZoneKey?) throws(CabinetError) -> [Record.FieldKey: Data] {
        var result: [Record.FieldKey: Data] = [:]
        for (name, value) in zip(record.fields.names.names, record.fields.values) {
            guard let value = value?.encryptedValue, value.ciphertext == nil, let plain = value.value, let key else {
                continue
            }
            if let reason = ValueRule.reason(toReject: plain, in: record) {
                throw CabinetError(.invalidArguments, reason, recordID: record.recordID, fieldKey: name)
            }
            // A value that is as it was fetched keeps its ciphertext.
            if let fetched = record.fetched?.fields[name]?.encryptedValue, fetched == value {
                result[name] = fetched.ciphertext
                continue
            }
            do {
                let bytes = try ServiceCoding<FieldValue>().encode(plain.normalized)
                result[name] = try cipher.encrypt(Data(bytes), with: key, context: context(of: name, in: record))
            } catch {
                throw CabinetError(
                    .internalError, "The value cannot be encrypted. \((error as? CabinetError)?.message ?? "\(error)")",
                    recordID: record.recordID, fieldKey: name)
            }
        }
        return result
    }

    private func context(of key: Record.FieldKey, in record: Record) throws(CabinetError) -> Data {
        EncryptionContext(
            key, of: record, owner: try owner(of: record.recordID.zoneID), in: containerIdentifier
        ).bytes
    }

    private func owner(of zoneID: RecordZone.ID) throws(CabinetError) -> String {
        zoneID.ownerName == RecordZone.ID.defaultOwnerName ? try user : zoneID.ownerName
    }
}

extension RecordEncryption {
    /// Returns a response with decrypted values.
    ///
    /// A value that cannot be decrypted has an error instead.
    func decrypted<Response: ServiceValue>(
        _ response: Response, in scope: DatabaseScope
    ) async throws -> Response {
        guard scope != .public, var records = response as? any ResponseWithRecords else { return response }
        var needed: [RecordZone.ID: Set<String>] = [:]
        records.mapRecords { record in
            record.fields.forEach { _, value in
                guard let ciphertext = value.encryptedValue?.ciphertext else { return }
                needed[record.recordID.zoneID, default: []].formUnion([cipher.keyID(of: ciphertext)].compactMap(\.self))
            }
            return record
        }
        if needed.isEmpty { return response }
        var known: [RecordZone.ID: ZoneKeyring] = [:]
        for (zoneID, ids) in needed {
            do {
                known[zoneID] = try await keyring(of: zoneID, in: scope, having: ids)
            } catch let error as CabinetError where error.didResetEncryptedData && needed.count > 1 {
                // The records of the other zones can be read.
                continue
            }
        }
        records.mapRecords { record in
            if record.fields.firstEncryptedKey == nil { return record }
            let keyring = known[record.recordID.zoneID] ?? ZoneKeyring()
            return record.mappingFields { fields in
                fields.mappingEncryptedValues { self.decrypted($0, of: $1, in: record, keyring) }
            }
        }
        return records as? Response ?? response
    }

    private func decrypted(
        _ value: EncryptedValue, of key: Record.FieldKey, in record: Record, _ keyring: ZoneKeyring
    ) -> EncryptedValue {
        guard let ciphertext = value.ciphertext else { return value }
        func failure(_ code: CabinetError.Code, _ message: String, _ cause: (any Error)? = nil) -> EncryptedValue {
            value.decrypted(
                as: .failure(
                    CabinetError(
                        code, message, recordID: record.recordID, fieldKey: key, underlyingError: cause)))
        }
        guard let id = cipher.keyID(of: ciphertext) else {
            return failure(.incompatibleVersion, "The value is damaged, or was encrypted by a later version.")
        }
        guard let zoneKey = keyring.keys[id] else {
            return failure(Self.missingKey.code, Self.missingKey.message)
        }
        do {
            let bytes = try cipher.decrypt(
                ciphertext, with: zoneKey, context: try context(of: key, in: record))
            let plain = try ServiceCoding<FieldValue>().decode(Array(bytes))
            // The dialect of CloudKit Web Services calls all encrypted values bytes.
            guard plain.fieldType == value.fieldType.decrypted || value.fieldType == .encryptedBytes,
                plain.fieldType.encrypted != nil
            else { return failure(.internalError, "The value was decrypted, and is of type \(plain.fieldType).") }
            return value.decrypted(as: .value(plain))
        } catch {
            return failure(
                .internalError, "The value is damaged, or was encrypted for another field or record.", error)
        }
    }
}

extension RecordEncryption {
    /// Returns the key that encrypts new values of a zone, which is created for a zone without one.
    ///
    /// The keys are read for each save: another client may have deleted the zone with its keys, and created it again.
    func currentKey(of zoneID: RecordZone.ID, in scope: DatabaseScope) async throws -> ZoneKey {
        var keyring = try await fetchKeyring(of: zoneID, in: scope)
        if let key = keyring.current { return key }
        // A new key would be of no use to the user's other devices, which have another secret key.
        guard scope == .private, !keyring.isForUser || keyring.isLost else { throw Self.missingKey }
        let key = try cipher.makeZoneKey()
        try await add(
            [key: try keyring.nextNumber], of: zoneID, for: [try await recipient()], in: scope)
        keyring = try await fetchKeyring(of: zoneID, in: scope)
        if let key = keyring.current { return key }
        throw CabinetError(
            .serverRejectedRequest,
            "The service keeps no keys with zones, so that encrypted values could not be decrypted later. Nothing was saved."
        )
    }

    private static var missingKey: CabinetError {
        CabinetError(
            .permissionFailure,
            "The key store of this device has no key of the zone. If another device of the user has it, copy the secret keys from there; "
                + "in another user's zone, have the owner share the zone's keys.")
    }

    /// The user as a recipient of keys.
    func recipient() async throws -> KeyRecipient {
        guard let secretKey = try await userKeys().secretKeys.first else {
            throw CabinetError(.internalError, "The key store has returned no key of the user.")
        }
        return KeyRecipient(userRecordName: try user, publicKey: try cipher.publicKey(of: secretKey))
    }

    /// Stores keys with a zone, each wrapped for each recipient.
    func add(
        _ keys: [ZoneKey: Int64], of zoneID: RecordZone.ID, for recipients: [KeyRecipient], in scope: DatabaseScope
    ) async throws {
        let context = try keyContext(of: zoneID)
        let wrapped = try keys.flatMap { key, number in
            try recipients.map { try cipher.wrap(key, number: number, for: $0, context: context) }
        }
        var request = ModifyZonesRequest(in: scope)
        request.keysToAdd = [ZoneKeys(zoneID: zoneID, keys: wrapped)]
        _ = try await service.perform(request, for: caller)
    }

    private func keyContext(of zoneID: RecordZone.ID) throws(CabinetError) -> Data {
        EncryptionContext(keysOf: zoneID, owner: try owner(of: zoneID), in: containerIdentifier).bytes
    }

    private func userKeys() async throws -> UserKeys {
        try await encryption.keyStore.keys(
            of: try user, in: containerIdentifier, creatingWith: { [cipher] in try cipher.makeSecretKey() })
    }

    /// Returns a keyring that has certain keys, if the user can have them.
    private func keyring(
        of zoneID: RecordZone.ID, in scope: DatabaseScope, having ids: Set<String>
    ) async throws -> ZoneKeyring {
        let zone = Zone(scope: scope, zoneID: zoneID)
        if let known = keyrings.withLock({ $0[zone] }), ids.allSatisfy({ known.keys[$0] != nil }) { return known }
        return try await fetchKeyring(of: zoneID, in: scope)
    }

    /// Reads the keys of a zone.
    ///
    /// - Throws: ``CabinetError/Code/zoneNotFound`` with ``CabinetError/didResetEncryptedData`` if the user has revoked
    ///   the secret keys that the zone's keys are encrypted for. The default zone cannot be deleted, and gets a new key instead.
    func fetchKeyring(of zoneID: RecordZone.ID, in scope: DatabaseScope) async throws -> ZoneKeyring {
        let keyring = try await fetchKeyrings(of: [zoneID], in: scope)[zoneID]
        guard let keyring else { throw ZoneRule.notFound(zoneID, in: scope) }
        if !keyring.isReset(zoneID, in: scope) { return keyring }
        var error = CabinetError(
            .zoneNotFound,
            "The keys of the encrypted values in the zone '\(zoneID)' are lost, because the user has revoked the secret key. Delete the zone, "
                + "save it again, and save the records that the program still has.")
        error.didResetEncryptedData = true
        throw error
    }

    /// Reads the keys of the zones that exist.
    func fetchKeyrings(
        of zoneIDs: [RecordZone.ID], in scope: DatabaseScope
    ) async throws -> [RecordZone.ID: ZoneKeyring] {
        var request = FetchZonesRequest(in: scope)
        request.zoneIDs = zoneIDs
        request.asksForKeys = true
        let response = try await service.perform(request, for: caller)
        let userKeys = try await userKeys()
        var result: [RecordZone.ID: ZoneKeyring] = [:]
        for stored in response.keys ?? [] {
            result[stored.zoneID] = try ZoneKeyring(
                stored.keys, of: try user, userKeys, context: try keyContext(of: stored.zoneID),
                cipher: cipher)
        }
        // A service without keys answers with zones alone.
        for case .success(let zone) in response.results where result[zone.zoneID] == nil {
            result[zone.zoneID] = try ZoneKeyring(
                [], of: try user, UserKeys(secretKeys: []), context: Data(), cipher: cipher)
        }
        keyrings.withLock { known in
            for (zoneID, keyring) in result { known[Zone(scope: scope, zoneID: zoneID)] = keyring }
            if known.count > Self.maximumKeyrings { known = [:] }
        }
        return result
    }
}

extension ZoneKeyring {
    /// Whether the zone must be deleted, because the user has lost its keys.
    func isReset(_ zoneID: RecordZone.ID, in scope: DatabaseScope) -> Bool {
        isLost && scope == .private && zoneID.zoneName != RecordZone.ID.defaultZoneName
    }
}

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
    /// A record whose value cannot be encrypted fails by itself, also if its zone is missing, or the user lacks the zone's newest key.
    ///
    /// - Throws: An error after which the whole request may succeed later, and the errors of the key store.
    func encrypted(_ request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest {
        guard
            request.recordsToSave.contains(where: { $0.fields.firstEncryptedKey != nil || $0.hasFetchedEncryptedValues }
            )
        else { return request }
        var request = request
        var keys: [RecordZone.ID: Result<ZoneKey, CabinetError>] = [:]
        let sendsAllKeys = request.savePolicy == .allKeys
        for position in request.recordsToSave.indices {
            let record = request.recordsToSave[position]
            request.recordsToSave[position] = record.withCiphertexts()
            guard record.fields.haveValuesToEncrypt(ofAllKeys: sendsAllKeys) else { continue }
            if let violation = EncryptionRule.violation(saving: record, in: request.scope) {
                request.refusals[record.recordID] = violation
                continue
            }
            let zoneID = OwnerRule(user: caller.userRecordName).canonical(record.recordID.zoneID)
            if keys[zoneID] == nil { keys[zoneID] = try await keyResult(of: zoneID, in: request.scope) }
            do throws(CabinetError) {
                guard let key = try keys[zoneID]?.get() else { continue }
                let values = try encryptedValues(of: record, ofAllKeys: sendsAllKeys, with: key)
                request.recordsToSave[position] = record.withCiphertexts(values)
            } catch {
                var error = error
                error.recordID = record.recordID
                request.refusals[record.recordID] = request.refusals[record.recordID] ?? error
            }
        }
        return request
    }

    /// Returns the key that encrypts new values of a zone, or the error that all of its records fail with.
    ///
    /// - Throws: The errors of the key store and the store, which are not about the zone: after them, everything stays pending.
    private func keyResult(
        of zoneID: RecordZone.ID, in scope: DatabaseScope
    ) async throws -> Result<ZoneKey, CabinetError> {
        // A refusal by the key store is not that of a missing key.
        _ = try await userKeys()
        do {
            return .success(try await currentKey(of: zoneID, in: scope))
        } catch let error as CabinetError
            where [.zoneNotFound, .permissionFailure].contains(error.code) && !error.isOfStore
        {
            return .failure(error)
        }
    }

    /// Returns the values that were set or, of all keys, those that are known, with their ciphertexts.
    ///
    /// A value that equals the fetched one keeps its ciphertext, unless that has another key than the zone's newest.
    private func encryptedValues(
        of record: Record, ofAllKeys includesAll: Bool, with key: ZoneKey
    ) throws(CabinetError) -> [Record.FieldKey: EncryptedValue] {
        var result: [Record.FieldKey: EncryptedValue] = [:]
        for (name, value) in zip(record.fields.names.names, record.fields.values) {
            guard let value = value?.encryptedValue, let plain = value.value, value.ciphertext == nil || includesAll
            else { continue }
            if let reason = ValueRule.reason(toReject: plain, in: record) {
                throw CabinetError(.invalidArguments, reason, recordID: record.recordID, fieldKey: name)
            }
            let fetched = record.fetched?.fields[name]?.encryptedValue
            let known = value.ciphertext == nil && fetched == value ? fetched ?? value : value
            if let ciphertext = known.ciphertext, cipher.keyID(of: ciphertext) == key.id {
                result[name] = EncryptedValue(known.fieldType, ciphertext: ciphertext)
                continue
            }
            do {
                let bytes = try ServiceCoding<FieldValue>().encode(plain.normalized)
                let ciphertext = try cipher.encrypt(Data(bytes), with: key, context: context(of: name, in: record))
                result[name] = EncryptedValue(value.fieldType, ciphertext: ciphertext)
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
    ///
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if the request is about one zone whose keys are lost.
    func decrypted<Response: ServiceValue>(
        _ response: Response, to request: any RequestForRecords
    ) async throws -> Response {
        guard request.scope != .public, var records = response as? any ResponseWithRecords else { return response }
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
        var resets: [RecordZone.ID: CabinetError] = [:]
        for (zoneID, ids) in needed {
            do {
                known[zoneID] = try await keyring(of: zoneID, in: request.scope(of: zoneID), having: ids)
            } catch let error as CabinetError where error.code == .zoneNotFound && !request.isOfOneZone {
                // The other records can be read, and also these without their encrypted values.
                if error.didResetEncryptedData { resets[zoneID] = error }
            }
        }
        records.mapRecords { record in
            if record.fields.firstEncryptedKey == nil { return record }
            let keyring = known[record.recordID.zoneID] ?? ZoneKeyring()
            let missingKey = resets[record.recordID.zoneID] ?? keyring.missingKey
            return record.mappingFields { fields in
                fields.mappingEncryptedValues {
                    self.decrypted($0, of: $1, in: record, keyring, missingKey: missingKey)
                }
            }
        }
        return records as? Response ?? response
    }

    private func decrypted(
        _ value: EncryptedValue, of key: Record.FieldKey, in record: Record, _ keyring: ZoneKeyring,
        missingKey: CabinetError
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
            var error = missingKey
            (error.recordID, error.fieldKey) = (record.recordID, key)
            return value.decrypted(as: .failure(error))
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
    /// A user without the zone's newest key does not encrypt with an older one, which a removed user may have.
    ///
    /// The keys are read for each save: another client may have deleted the zone with its keys, and created it again.
    func currentKey(of zoneID: RecordZone.ID, in scope: DatabaseScope) async throws -> ZoneKey {
        var keyring = try await fetchKeyring(of: zoneID, in: scope)
        if let key = keyring.current { return key }
        // A new key would be of no use to the user's other devices, which have another secret key.
        guard scope == .private, !keyring.isForUser || keyring.isLost else { throw keyring.missingKey }
        let key = try cipher.makeZoneKey()
        try await add(
            [key: try keyring.nextNumber], of: zoneID, for: [try await recipient()], in: scope)
        keyring = try await fetchKeyring(of: zoneID, in: scope)
        if let key = keyring.current { return key }
        if keyring.isForUser { throw keyring.missingKey }
        throw CabinetError(
            .serverRejectedRequest,
            "The service keeps no keys with zones, so that encrypted values could not be decrypted later. Nothing was saved."
        )
    }

    /// The user as a recipient of keys.
    func recipient() async throws -> KeyRecipient {
        KeyRecipient(userRecordName: try user, publicKey: try cipher.publicKey(of: try await secretKey()))
    }

    /// The user's secret key, by which other users and devices know the sender of keys.
    private func secretKey() async throws -> Data {
        if let key = try await userKeys().secretKeys.first { return key }
        throw CabinetError(.internalError, "The key store has returned no key of the user.")
    }

    /// Accepts the keys of another user's zones from one public key alone.
    func acceptKeys(from owner: KeyRecipient) async throws {
        try NameRule.userRecordName.validate(owner.userRecordName)
        _ = try await userKeys()
        try await encryption.keyStore.accept(owner, replacing: true, for: try user, in: containerIdentifier)
        keyrings.withLock { $0 = [:] }
    }

    /// Stores keys with a zone, each wrapped for each recipient.
    func add(
        _ keys: [ZoneKey: Int64], of zoneID: RecordZone.ID, for recipients: [KeyRecipient], in scope: DatabaseScope
    ) async throws {
        let (context, senderKey) = (try keyContext(of: zoneID), try await secretKey())
        let wrapped = try keys.flatMap { key, number in
            try recipients.map { try cipher.wrap(key, number: number, for: $0, from: senderKey, context: context) }
        }
        var request = ModifyZonesRequest(in: scope)
        request.keysToAdd = [ZoneKeys(zoneID: zoneID, keys: wrapped)]
        _ = try await service.perform(request, for: caller)
    }

    private func keyContext(of zoneID: RecordZone.ID) throws(CabinetError) -> Data {
        EncryptionContext(keysOf: zoneID, owner: try owner(of: zoneID), in: containerIdentifier).bytes
    }

    func userKeys() async throws -> UserKeys {
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

    /// Returns the keys of a zone from senders that the user accepts: the user in own zones, and the owner in shared ones.
    private func keyring(
        _ stored: ZoneKeys, _ userKeys: UserKeys, in scope: DatabaseScope
    ) throws -> ZoneKeyring {
        let senders =
            scope == .shared
            ? try [userKeys.acceptedKeys[owner(of: stored.zoneID)]].compactMap(\.self)
            : try userKeys.secretKeys.map(cipher.publicKey)
        return try ZoneKeyring(
            stored, of: try user, userKeys, from: Set(senders), context: try keyContext(of: stored.zoneID),
            cipher: cipher)
    }

    /// Reads the keys of the zones that exist; of all zones, if none are named.
    func fetchKeyrings(
        of zoneIDs: [RecordZone.ID]?, in scope: DatabaseScope
    ) async throws -> [RecordZone.ID: ZoneKeyring] {
        var request = FetchZonesRequest(in: scope)
        request.zoneIDs = zoneIDs
        request.asksForKeys = true
        let response = try await service.perform(request, for: caller)
        var userKeys = try await userKeys()
        var result: [RecordZone.ID: ZoneKeyring] = [:]
        for stored in response.keys ?? [] {
            var keyring = try keyring(stored, userKeys, in: scope)
            let owner = try owner(of: stored.zoneID)
            if scope == .shared, userKeys.acceptedKeys[owner] == nil, let sender = keyring.refusedSender {
                // The first key that an owner's zone has for the user is accepted, and no other one afterwards.
                try await encryption.keyStore.accept(
                    KeyRecipient(userRecordName: owner, publicKey: sender), replacing: false, for: try user,
                    in: containerIdentifier)
                userKeys = try await self.userKeys()
                keyring = try self.keyring(stored, userKeys, in: scope)
            }
            result[stored.zoneID] = keyring
        }
        // A service without keys answers with zones alone.
        for case .success(let zone) in response.results where result[zone.zoneID] == nil {
            result[zone.zoneID] = ZoneKeyring()
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

extension Container {
    /// Returns the container's user as a recipient of zone keys: the record name and the public key, which other users need to share
    /// encrypted values with the user.
    ///
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/invalidArguments`` without a key store,
    ///   and the errors of the key store.
    public func keyRecipient() async throws -> KeyRecipient { try await client.requiredEncryption.recipient() }

    /// Accepts the keys of a user's shared zones from one public key alone, instead of the key that was accepted before.
    ///
    /// Without this call, the key store remembers the first public key that an owner's zone shows, which the server could have exchanged.
    ///
    /// - Parameter owner: The owner, as its container's ``keyRecipient()`` returns it, by a way that the server does not control.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/invalidArguments`` without a key store or
    ///   for what is not a user with a public key, and the errors of the key store.
    public func acceptKeys(from owner: KeyRecipient) async throws {
        try await client.requiredEncryption.acceptKeys(from: owner)
    }
}

extension Database {
    /// Lets users decrypt the encrypted values of a zone, those of now and of later.
    ///
    /// - Parameters:
    ///   - zoneID: The zone, whose keys the container's user has.
    ///   - recipients: The users, as their containers' ``Container/keyRecipient()`` returns them.
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if the zone does not exist, or its keys are lost;
    ///   ``CabinetError/Code/permissionFailure`` if the key store does not have the zone's newest key, or for a zone of another user;
    ///   ``CabinetError/Code/invalidArguments`` without a key store, or for what is not a public key;
    ///   ``CabinetError/Code/notAuthenticated`` without an account; the errors of the key store and of the service.
    public func shareKeys(ofZoneWith zoneID: RecordZone.ID, with recipients: [KeyRecipient]) async throws {
        let encryption = try client.requiredEncryption
        let zoneID = OwnerRule(user: client.userRecordName).canonical(zoneID)
        _ = try await encryption.currentKey(of: zoneID, in: databaseScope)
        let keyring = try await encryption.fetchKeyring(of: zoneID, in: databaseScope)
        try await encryption.add(keyring.numbers, of: zoneID, for: recipients, in: databaseScope)
    }

    /// Gives a zone a new key, with which values are encrypted from now on, for instance after a user was removed.
    ///
    /// Values that were encrypted before can be decrypted with the old keys still. To encrypt them with the new one, set them again, or
    /// save the records with the policy ``RecordSavePolicy/allKeys``. Users and devices without the new key save no encrypted values.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - recipients: The users that get the key, beside the container's user.
    /// - Throws: ``CabinetError/Code/zoneNotFound`` if the zone does not exist, or its keys are lost;
    ///   ``CabinetError/Code/permissionFailure`` for a zone of another user, and ``CabinetError/Code/badDatabase`` in the public database;
    ///   ``CabinetError/Code/invalidArguments`` without a key store, or for what is not a public key;
    ///   ``CabinetError/Code/notAuthenticated`` without an account; the errors of the key store and of the service.
    public func rotateKey(ofZoneWith zoneID: RecordZone.ID, for recipients: [KeyRecipient] = []) async throws {
        let encryption = try client.requiredEncryption
        let zoneID = OwnerRule(user: client.userRecordName).canonical(zoneID)
        let keyring = try await encryption.fetchKeyring(of: zoneID, in: databaseScope)
        let key = try encryption.encryption.cipher.makeZoneKey()
        try await encryption.add(
            [key: try keyring.nextNumber], of: zoneID, for: [try await encryption.recipient()] + recipients,
            in: databaseScope)
    }
}

extension Database {
    /// Returns the wrapped keys of a zone as JSON, for an export, with the record name of the zone's owner; `nil` if it has none.
    package func codedKeys(ofZoneWith zoneID: RecordZone.ID) async throws -> (json: [UInt8], owner: String?)? {
        var request = FetchZonesRequest(in: databaseScope)
        request.zoneIDs = [zoneID]
        request.asksForKeys = true
        guard let keys = try await client.perform(request).keys?.first?.keys, !keys.isEmpty else { return nil }
        let isOwn = zoneID.ownerName == RecordZone.ID.defaultOwnerName
        return (try ServiceCoding<[WrappedKey]>().encode(keys), isOwn ? client.userRecordName : zoneID.ownerName)
    }

    /// Adds the keys of an export to a zone of the user, unless they are those of another user's zone.
    ///
    /// Such keys decrypt nothing here, and the user could not replace them by a new key when values are saved.
    ///
    /// - Parameters:
    ///   - json: The keys.
    ///   - owner: The record name of the user whose zone had the keys; `nil` if it is not known.
    ///   - zoneID: The zone.
    /// - Returns: Whether the keys were added.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if they are malformed.
    package func addCodedKeys(
        _ json: [UInt8], of owner: String?, toZoneWith zoneID: RecordZone.ID
    ) async throws -> Bool {
        var request = ModifyZonesRequest(in: databaseScope)
        request.keysToAdd = [ZoneKeys(zoneID: zoneID, keys: try ServiceCoding<[WrappedKey]>().decode(json))]
        if let owner, let user = client.userRecordName, !owner.hasSameScalars(as: user) { return false }
        _ = try await client.perform(request)
        return true
    }
}

extension ServiceClient {
    fileprivate var requiredEncryption: RecordEncryption {
        get throws(CabinetError) {
            if let encryption { return encryption }
            throw CabinetError(
                .invalidArguments, "The container has no key store. Create the container with encrypting(with:).")
        }
    }
}

extension RecordEncryption {
    /// Reports the zones whose encrypted values are lost as deleted, with the reason, as CloudKit does.
    ///
    /// The loss is not a change of the zones. So a client whose token is older learns of all of them at once.
    ///
    /// - Parameters:
    ///   - response: The changes.
    ///   - token: The token of the request.
    ///   - scope: The database.
    /// - Returns: The changes, and the number of revoked keys for the next token.
    func reportingResets(
        _ response: FetchDatabaseChangesRequest.Response, since token: ServerChangeToken?, in scope: DatabaseScope
    ) async throws -> (response: FetchDatabaseChangesRequest.Response, revokedKeyCount: Int?) {
        guard scope == .private else { return (response, nil) }
        let count = try await userKeys().revokedPublicKeys.count
        if count == 0 { return (response, nil) }
        // A list from the beginning has all zones.
        let isBehind = token.map { count > $0.revokedKeyCount ?? 0 } ?? false
        let changed = response.modifications.map(\.zoneID)
        if changed.isEmpty, !isBehind { return (response, count) }
        let keyrings = try await fetchKeyrings(of: isBehind ? nil : changed, in: scope)
        let lost = keyrings.filter { $1.isReset($0, in: scope) }.keys.sorted { $0.zoneName < $1.zoneName }
        var response = response
        response.modifications.removeAll { lost.contains($0.zoneID) }
        response.deletions += lost.map { DatabaseChange.Deletion(zoneID: $0, reason: .encryptedDataReset) }
        return (response, count)
    }
}

/// A service as one user sees it from one device, with the files of the assets that were fetched.
final class ServiceClient: Sendable {
    let containerIdentifier: String
    let service: any DatabaseService
    let caller: Caller
    /// Whether the container closes the service.
    let ownsService: Bool
    let files = AssetFiles()
    /// The encryption of values; `nil` without a key store.
    let encryption: RecordEncryption?

    init(
        containerIdentifier: String, service: any DatabaseService, caller: Caller, ownsService: Bool = false,
        encryption: Encryption? = nil
    ) {
        self.containerIdentifier = containerIdentifier
        self.service = service
        self.caller = caller
        self.ownsService = ownsService
        self.encryption = encryption.map {
            RecordEncryption($0, containerIdentifier: containerIdentifier, service: service, caller: caller)
        }
    }

    /// The record name of the user, or `nil` without an account.
    var userRecordName: String? { caller.userRecordName }

    func perform<Request: ServiceRequest>(_ request: Request) async throws -> Request.Response {
        let response = try await service.perform(request, for: caller)
        guard let encryption, let request = request as? any RequestForRecords else { return response }
        return try await encryption.decrypted(response, to: request)
    }

    func signals(of scopes: [DatabaseScope]) throws -> AsyncStream<Void> {
        try service.signals(of: scopes, for: caller)
    }

    /// Whether the service was closed, which ends its signals.
    var isClosed: Bool {
        get async {
            guard let signals = try? signals(of: [.public]) else { return false }
            for await _ in signals { return false }
            return !Task.isCancelled
        }
    }
}

extension ServiceClient {
    /// Saves and deletes records, after the bytes of their new assets were uploaded.
    func modify(
        _ request: ModifyRecordsRequest, progress: (@Sendable (AssetProgress) -> Void)? = nil
    ) async throws -> ModifyRecordsRequest.Response {
        let request =
            try await encryption?.encrypted(request)
            ?? (service is any EncryptingService ? request : request.refusingUnencryptedValues())
        guard var uploads = AssetUploads(of: request, by: self, progress: progress) else {
            return try await perform(request)
        }
        return try await BlockingExecutor.once {
            do {
                var response = try await uploads.response()
                response.saveResults = await uploads.addingFiles(to: response.saveResults)
                await uploads.end()
                return response
            } catch {
                await uploads.end()
                throw error
            }
        }
    }

    /// Returns the records with files of their assets, which are fetched if the service has not given them.
    ///
    /// An asset that a record has no longer, or that the store has lost, gets no file.
    func addingFiles(to records: [Record], in scope: DatabaseScope) async throws -> [Record] {
        guard records.contains(where: \.lacksFiles) else { return records }
        var complete: [Record] = []
        complete.reserveCapacity(records.count)
        for record in records { complete.append(try await addingFiles(to: record, in: scope)) }
        return complete
    }

    func addingFiles(to record: Record, in scope: DatabaseScope) async throws -> Record {
        guard record.lacksFiles else { return record }
        var found: [StoredAsset: Asset] = [:]
        for asset in record.fields.storedAssets {
            do {
                let file = try await files.file(of: asset, of: record.recordID, in: scope, from: self)
                found[asset] = Asset(.stored(asset, fileURL: file.url), in: file.directory)
            } catch CabinetError.Code.operationCancelled {
                throw WorkMeter.cancellation
            } catch {
                // The bytes were deleted or damaged, or no space is left for them. The record can still be read.
                continue
            }
        }
        return record.replacingAssets { asset in
            asset.fileURL == nil ? asset.stored.flatMap { found[$0] } ?? asset : asset
        }
    }
}

extension Record {
    /// Whether an asset of the record has no file.
    var lacksFiles: Bool {
        fields.hasAssets && fields.assets.contains { $0.asset.stored != nil && $0.asset.fileURL == nil }
    }
}

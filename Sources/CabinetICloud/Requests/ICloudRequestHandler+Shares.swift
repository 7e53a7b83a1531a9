import Cabinet
import CloudKit
import Foundation

/// The descriptions, the acceptance and the participants of shares.
extension ICloudRequestHandler {
    func response(to request: FetchShareMetadataRequest) async throws -> FetchShareMetadataRequest.Response {
        let reader = reader(.shared)
        return .init(
            try await metadatas(of: request.shortGUIDs, request).map { result in
                result.flatMap { object in
                    Result { try reader.metadata(object) }.mapError { CabinetError(cloudKit: $0) }
                }
            })
    }

    func response(to request: AcceptSharesRequest) async throws -> AcceptSharesRequest.Response {
        let found = try await metadatas(of: request.shortGUIDs)
        let metadatas = found.compactMap { try? $0.get() }
        let accepted = Collector<(CKShare.Metadata, Result<CKShare, any Error>)>()
        if !metadatas.isEmpty {
            let operation = CKAcceptSharesOperation(shareMetadatas: metadatas)
            operation.perShareResultBlock = { accepted.append(($0, $1)) }
            try await container.run(operation) { $0.acceptSharesResultBlock = $1 }
        }
        let reader = reader(.shared)
        return .init(
            results: found.map { result in
                result.flatMap { metadata in
                    guard let share = accepted.items.first(where: { $0.0.isEqual(metadata) })?.1 else {
                        return .failure(CabinetError(.internalError, "iCloud gave no result for a share."))
                    }
                    return Result { try reader.record(try share.get()) }.mapError { CabinetError(cloudKit: $0) }
                }
            })
    }

    /// Fetches the descriptions of shares by the last parts of their URLs, with their roots if a request asks for them.
    private func metadatas(
        of shortGUIDs: [String], _ request: FetchShareMetadataRequest? = nil
    ) async throws -> [Result<CKShare.Metadata, CabinetError>] {
        if user == nil { throw AccountRule.notAuthenticated }
        let urls = shortGUIDs.compactMap { URL(string: "https://www.icloud.com/share")?.appendingPathComponent($0) }
        if urls.isEmpty { return [] }
        let operation = CKFetchShareMetadataOperation(shareURLs: urls)
        if let request, request.shouldFetchRootRecord {
            operation.shouldFetchRootRecord = true
            operation.rootRecordDesiredKeys = request.rootRecordDesiredKeys
        }
        let found = Collector<(URL, Result<CKShare.Metadata, any Error>)>()
        operation.perShareMetadataResultBlock = { found.append(($0, $1)) }
        try await container.run(operation) { $0.fetchShareMetadataResultBlock = $1 }
        let results = Dictionary(found.items, uniquingKeysWith: { first, _ in first })
        return urls.map { result(of: $0, in: results) { $0 } }
    }

    /// Finds the participants that the shares of a batch add, by the record names of their users.
    func participants(of batch: RecordBatch) async throws -> [String: CKShare.Participant] {
        var names: Set<String> = []
        for record in batch.request.recordsToSave {
            guard let object = batch.objects[record.recordID] as? CKShare, let share = try? Share(record) else {
                continue
            }
            names.formUnion(share.participants.filter { $0.role != .owner }.map(\.userRecordName))
            names.subtract(object.participants.map { $0.userRecordName(user: user) })
        }
        if names.isEmpty { return [:] }
        let found = try await participants(names.sorted().map(UserLookup.userRecordName))
        return Dictionary(
            found.compactMap { lookup, participant in
                if case .userRecordName(let name) = lookup { (name, participant) } else { nil }
            }, uniquingKeysWith: { first, _ in first })
    }

    func response(to request: FindUsersRequest) async throws -> FindUsersRequest.Response {
        if user == nil { throw AccountRule.notAuthenticated }
        let found = Dictionary(
            try await participants(request.lookups), uniquingKeysWith: { first, _ in first })
        return FindUsersRequest.Response(
            userRecordNames: request.lookups.map { found[$0]?.userIdentity.userRecordID?.recordName })
    }

    /// Finds the participants that have addresses.
    private func participants(_ lookups: [UserLookup]) async throws -> [(UserLookup, CKShare.Participant)] {
        if lookups.isEmpty { return [] }
        let infos = lookups.map { lookup in
            switch lookup {
            case .emailAddress(let address): CKUserIdentity.LookupInfo(emailAddress: address)
            case .phoneNumber(let number): CKUserIdentity.LookupInfo(phoneNumber: number)
            case .userRecordName(let name): CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID(recordName: name))
            }
        }
        let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
        let found = Collector<(CKUserIdentity.LookupInfo, CKShare.Participant)>()
        operation.perShareParticipantResultBlock = { info, result in
            if case .success(let participant) = result { found.append((info, participant)) }
        }
        try await container.run(operation) { $0.fetchShareParticipantsResultBlock = $1 }
        return zip(lookups, infos).compactMap { lookup, info in
            found.items.first { $0.0.isEqual(info) }.map { (lookup, $0.1) }
        }
    }
}

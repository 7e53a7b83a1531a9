import Cabinet
import CloudKit
import Foundation

extension ICloudRequestHandler {
    func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response {
        let database = try database(request.scope)
        guard let ids = request.zoneIDs else {
            let all = try await database.allRecordZones().sorted { $0.zoneID.zoneName < $1.zoneID.zoneName }
            return .init(all.map { .success(RecordZone(zoneID: .init($0.zoneID, user: user))) })
        }
        let found = try await database.recordZones(for: ids.map { $0.object(user: user) })
        return .init(
            ids.map { id in
                result(of: id.object(user: user), in: found) { RecordZone(zoneID: .init($0.zoneID, user: user)) }
            })
    }

    func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response {
        if request.addsKeys { throw CloudKitGap.encryption.error() }
        let database = try database(request.scope, toWrite: true)
        for id in request.zonesToSave.map(\.zoneID) + request.zoneIDsToDelete where id.zoneName.isEmpty {
            // CloudKit ends the program on an empty name.
            throw CabinetError(.invalidArguments, "The name of a zone is empty.")
        }
        let saved = request.zonesToSave.map { $0.zoneID.object(user: user) }
        let deleted = request.zoneIDsToDelete.map { $0.object(user: user) }
        let results = try await database.modifyRecordZones(
            saving: saved.map(CKRecordZone.init(zoneID:)), deleting: deleted)
        signals.send(to: request.scope)
        return .init(
            saved.map { id in
                result(of: id, in: results.saveResults) { RecordZone(zoneID: .init($0.zoneID, user: user)) }
            },
            deleted.map { result(of: $0, in: results.deleteResults) { $0 }.failure })
    }
}

extension Result where Failure == CabinetError {
    /// The error, or `nil` for a success.
    var failure: CabinetError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

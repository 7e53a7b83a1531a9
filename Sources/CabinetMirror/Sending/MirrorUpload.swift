import Cabinet
import Foundation

/// Sends a request with the bytes of the assets that the server lacks, which the local store has.
struct MirrorUpload {
    private let context: MirrorContext

    init(_ context: MirrorContext) {
        self.context = context
    }

    /// The number of times that assets are uploaded: other clients may delete the last records with them in between.
    private static let roundLimit = 4

    /// Returns the answer to a request.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/zoneBusy`` if the server loses assets again and again, so that nothing was saved.
    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        var request = request
        request.uploads = []
        do {
            for round in 0... {
                let response = try await context.ask(request)
                if response.missingAssets.isEmpty {
                    await end(request.uploads)
                    return response
                }
                if round == Self.roundLimit { break }
                for asset in response.missingAssets {
                    guard let record = request.recordsToSave.first(where: { $0.has(asset) }) else { continue }
                    request.uploads.append(try await upload(asset, of: record.recordID))
                }
            }
            throw CabinetError(.zoneBusy, "The server asks for the same assets again and again.")
        } catch {
            await end(request.uploads)
            throw error
        }
    }

    private func upload(_ asset: StoredAsset, of recordID: RecordID) async throws -> UUID {
        var begin = BeginUploadRequest(in: context.scope)
        begin.zoneID = recordID.zoneID
        let upload = try await context.ask(begin).upload
        do {
            try await send(asset, of: recordID, to: upload)
        } catch {
            await end([upload])
            throw error
        }
        return upload
    }

    private func send(_ asset: StoredAsset, of recordID: RecordID, to upload: UUID) async throws {
        var position: Int64 = 0
        let isComplete = try await asset.read { range in
            try await context.local.bytes(
                of: asset, of: recordID, in: range, scope: .private, for: context.remote.caller)
        } each: { bytes in
            try await context.remote.service.send(bytes, to: upload, at: position, for: context.remote.caller)
            position += Int64(bytes.count)
        }
        guard isComplete else {
            throw CabinetError(.assetNotAvailable, "The local store has no bytes of the asset.", recordID: recordID)
        }
        _ = try await context.ask(FinishUploadRequest(upload))
    }

    private func end(_ uploads: [UUID]) async {
        if uploads.isEmpty { return }
        await OwnTasks.finish { [context] in _ = try await context.ask(EndUploadsRequest(uploads)) }
    }
}

extension Record {
    fileprivate func has(_ asset: StoredAsset) -> Bool { fields.assets.contains { $0.asset.stored == asset } }
}

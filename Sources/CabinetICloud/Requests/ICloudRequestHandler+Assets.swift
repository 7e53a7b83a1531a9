import Cabinet
import Foundation

extension ICloudRequestHandler {
    /// Finds none: CloudKit knows no asset by its checksum, so the bytes are sent.
    func response(to request: FindAssetsRequest) async throws -> FindAssetsRequest.Response {
        _ = try database(request.scope, toWrite: true)
        return .init([])
    }

    func response(to request: BeginUploadRequest) async throws -> BeginUploadRequest.Response {
        _ = try database(request.scope, toWrite: true)
        return .init(try assets.uploads.begin())
    }

    func response(to request: FinishUploadRequest) async throws -> StoredAsset {
        try assets.uploads.finish(request.upload)
    }

    func response(to request: EndUploadsRequest) async throws -> EmptyResponse {
        assets.uploads.end(request.uploads)
        return EmptyResponse()
    }
}

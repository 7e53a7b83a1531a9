public import Cabinet
public import CabinetWire
public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The URL of the bytes of an asset, and a field that had it.
struct AssetLocation: Sendable {
    let url: String
    let slot: AssetSlot
}

extension CloudKitDatabaseService {
    /// The greatest number of URLs of assets that are remembered.
    private static let maximumURLCount = 10_000

    /// Remembers the URL of an asset, and the field of a record that was fetched with it.
    public func remember(_ url: String, of asset: StoredAsset, in slot: AssetSlot) {
        urls.withLock { urls in
            if urls.count >= Self.maximumURLCount { urls.removeAll() }
            urls[asset] = AssetLocation(url: url, slot: slot)
        }
    }

    /// Returns a field that had an asset when it was fetched.
    public func slot(of asset: StoredAsset) -> AssetSlot? { urls.withLock { $0[asset]?.slot } }

    /// Begins to keep the bytes of an upload.
    public func beginUpload() async throws -> UUID { try uploads.begin() }

    /// Returns the asset that the bytes of an upload are.
    public func finishUpload(_ upload: UUID) async throws -> StoredAsset { try uploads.finish(upload) }

    /// Releases the bytes of uploads.
    public func endUploads(_ uploads: [UUID]) async { self.uploads.end(uploads) }

    /// Sends the bytes of an upload to a URL of the server's.
    public func send(_ upload: UUID, to url: String) async throws -> CloudKitResponse {
        let file = try uploads.file(of: upload)
        var request = URLRequest(url: try secureURL(url))
        request.httpMethod = "POST"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        // No record has the bytes before it is saved, so that they can be sent again.
        return try await assets.send(from: file, effect: .none) {
            [request] in
            request
        } failure: {
            $0.status == 429 || $0.status >= 500 ? RemoteFailure($0, $0.cloudKit.failure, .none) : nil
        }.cloudKit
    }

    /// Reads bytes of an asset at its URL, which is fetched again if it has expired.
    func read(
        _ asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        if range.isEmpty { return Data() }
        if let url = urls.withLock({ $0[asset]?.url }), let bytes = try await read(asset, in: range, from: url) {
            return bytes
        }
        urls.withLock { $0[asset] = nil }
        var lookup = FetchRecordsRequest(in: scope)
        lookup.recordIDs = [recordID]
        let results = try await perform(lookup, for: caller).results
        if let url = urls.withLock({ $0[asset]?.url }), let bytes = try await read(asset, in: range, from: url) {
            return bytes
        }
        // Only an answer says that the record has no such asset.
        for case .failure(let error) in results where RetryRule.isTemporary(error.code) { throw error }
        throw CabinetError(.assetNotAvailable, "The record does not have the asset.", recordID: recordID)
    }

    /// Returns bytes at a URL; `nil` if it is not valid, or no longer.
    private func read(_ asset: StoredAsset, in range: Range<Int64>, from url: String) async throws -> Data? {
        var request = URLRequest(url: try secureURL(url.replacing("${f}", with: "asset")))
        request.setValue("bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
        let response = try await assets.send(effect: .none) {
            [request] in
            request
        } failure: {
            $0.status == 429 || $0.status >= 500 ? RemoteFailure($0, nil, .none) : nil
        }
        switch response.status {
        case 206 where response.body.count == range.count: return response.body
        // Some servers pass over ranges.
        case 200 where Int64(response.body.count) == asset.size && range.upperBound <= asset.size:
            return response.body.dropFirst(Int(range.lowerBound)).prefix(range.count)
        case 200, 206:
            throw CabinetError(
                .internalError,
                "The server gave \(response.body.count) bytes of an asset for \(range.count).")
        default: return nil
        }
    }

    /// Returns a URL that the server gave, unless it leads to a file or without encryption to another machine.
    func secureURL(_ text: String) throws(CabinetError) -> URL {
        let own = URL(string: address.text)
        guard let url = URL(string: text), let host = url.host, !host.isEmpty,
            url.scheme?.lowercased() == "https"
                || url.scheme?.lowercased() == "http" && own?.scheme == "http" && host == own?.host
        else { throw CabinetError(.internalError, "The server gave a URL that is not one of https.") }
        return url
    }
}

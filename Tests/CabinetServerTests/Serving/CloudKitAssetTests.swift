import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Testing

@testable import CabinetServer

@Suite("Assets in CloudKit's dialect")
struct CloudKitAssetTests {
    private let server: TestServer
    private static let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let bytes = Self.bytes

    init() throws {
        // A form is somewhat longer than its asset, also without a limit.
        var configuration = RecordServer.Configuration()
        configuration.limits.assetSize = .max
        server = try TestServer(configuration: configuration)
    }

    private init(_ server: TestServer) { self.server = server }

    /// Sends bytes to a new URL, and saves a record with the value that the server gives.
    private func save(_ body: HTTPBody, type: String? = nil, token: String = "_ann") async throws -> JSONNode {
        let request = #"{"tokens":[{"recordName":"n1","recordType":"Notes","fieldName":"file"}]}"#
        let (_, tokens) = try await server.cloudKit(.assetsUpload, request, token: token)
        let url = try #require(try tokens["tokens"]?.elements.first { _ in true }?["url"]?.string())
        let path = try #require(url.range(of: "/assets")).lowerBound
        let fields = type.map { [("Content-Type", $0)] } ?? []
        let response = try await server.send(.post, String(url[path...]), body, fields: fields)
        #expect(response.status == .ok)
        let answer = String(decoding: try await response.body.collect(upTo: 1 << 16), as: UTF8.self)
        let value = answer.dropFirst(#"{"singleFile":"#.count).dropLast()
        let record = #"{"recordName":"n1","recordType":"Notes","fields":{"file":{"value":\#(value)}}}"#
        let save = #"{"operations":[{"operationType":"create","record":\#(record)}]}"#
        let (status, json) = try await server.cloudKit(.recordsModify, save, token: token)
        #expect(status == 200)
        return try #require(json["records"]?.elements.first { _ in true })
    }

    private func downloadPath(_ record: JSONNode) throws -> String {
        let url = try #require(try record["fields"]?["file"]?["value"]?["downloadURL"]?.string())
        let start = try #require(url.range(of: "/assets")).lowerBound
        return String(url[start...]).replacing("${f}", with: "photo.jpg")
    }

    @Test("are sent raw, and read whole or in part")
    func raw() async throws {
        let path = try downloadPath(try await save(HTTPBody(bytes)))
        let whole = try await server.send(.get, path)
        #expect(whole.status == .ok)
        #expect(try await whole.body.collect(upTo: 1 << 24) == bytes)
        let part = try await server.send(.get, path, fields: [("Range", "bytes=1000000-1100000")])
        #expect(part.status == .partialContent)
        #expect(part.headerFields[.contentRange] == "bytes 1000000-1100000/3000000")
        #expect(try await part.body.collect(upTo: 1 << 24) == bytes[1_000_000...1_100_000])
        let head = try await server.send(.head, path, fields: [("Range", "bytes=1000000-1100000")])
        #expect(head.status == .ok && head.headerFields[.contentRange] == nil)
        let beyond = try await server.send(.get, path, fields: [("Range", "bytes=3000000-")])
        #expect(beyond.status == .rangeNotSatisfiable)
        #expect(beyond.headerFields[.contentRange] == "bytes */3000000")
        #expect(try await server.send(.head, path).status == .ok)
        let wrong = try await server.send(.delete, path)
        #expect(wrong.status == .methodNotAllowed)
        #expect(wrong.headerFields[.allow] == "GET, HEAD, POST, PUT")
        for condition in ["\"v1\"", "Tue, 01 Dec 2026 00:00:00 GMT"] {
            let whole = try await server.send(
                .get, path, fields: [("Range", "bytes=1000000-"), ("If-Range", condition)])
            #expect(whole.status == .ok && whole.headerFields[.contentRange] == nil)
            #expect(try await whole.body.collect(upTo: 1 << 24) == bytes)
        }
        for value in ["bytes=0-,0-,0-", "lines=1-2"] {
            #expect(try await server.send(.get, path, fields: [("Range", value)]).status == .ok)
        }
    }

    @Test("break off if the service has none of the bytes, or too many", .timeLimit(.minutes(1)), arguments: [0, 1])
    func uneven(count: Int) async throws {
        let other = Self(try TestServer { UnevenService(base: $0, count: count) })
        let path = try other.downloadPath(try await other.save(HTTPBody(bytes)))
        let response = try await other.server.send(.get, path)
        #expect(response.status == .ok)
        let error = await #expect(throws: CabinetError.self) { try await response.body.collect(upTo: 1 << 24) }
        #expect(error?.code == .assetNotAvailable)
    }

    @Test("are those of their receipt alone", arguments: [(4, true), (3_000_000, false)])
    func receipts(size: Int, hasChecksum: Bool) async throws {
        let request = #"{"tokens":[{"recordName":"n1","recordType":"Notes","fieldName":"file"}]}"#
        let (_, tokens) = try await server.cloudKit(.assetsUpload, request, token: "_ann")
        let url = try #require(try tokens["tokens"]?.elements.first { _ in true }?["url"]?.string())
        let response = try await server.send(
            .post, String(url[try #require(url.range(of: "/assets")).lowerBound...]), HTTPBody(bytes))
        let answer = try JSONText(Array(try await response.body.collect(upTo: 1 << 16))).root
        let receipt = try #require(try answer["singleFile"]?["receipt"]?.string())
        let checksum = hasChecksum ? bytes : Data([1])
        let text = Data(Asset.Checksum(of: checksum).bytes).base64EncodedString()
        let value = #"{"receipt":"\#(receipt)","size":\#(size),"fileChecksum":"\#(text)"}"#
        let record = #"{"recordName":"n1","recordType":"Notes","fields":{"file":{"value":\#(value)}}}"#
        let save = #"{"operations":[{"operationType":"create","record":\#(record)}]}"#
        #expect(try await server.cloudKit(.recordsModify, save, token: "_ann").status == 400)
    }

    @Test("are sent in the form of a browser")
    func form() async throws {
        var body = Data("--x1\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nno\r\n--x1\r\n".utf8)
        body += Data("Content-Disposition: form-data; name=\"files\"; filename=\"a.jpg\"\r\n\r\n".utf8)
        body += bytes + Data("\r\n--x1--\r\n".utf8)
        let path = try downloadPath(try await save(HTTPBody(body), type: "multipart/form-data; boundary=x1"))
        #expect(try await server.send(.get, path).body.collect(upTo: 1 << 24) == bytes)
        for form in ["", "--x1", "--x1\r\n\r\n--x1--", "--x1--", "\r\n--x1\r\nname=files\r\n\r\nx\r\n--x1--"] {
            #expect(throws: HTTPError.self) {
                try MultipartForm.part("files", of: Data(form.utf8), contentType: "multipart/form-data; boundary=x1")
            }
        }
        #expect(throws: HTTPError.self) {
            try MultipartForm.part("files", of: body, contentType: "multipart/form-data")
        }
    }

    @Test("are at URLs that are bound to their purpose, user, container and time")
    func urls() async throws {
        let path = try downloadPath(try await save(HTTPBody(bytes)))
        #expect(try await server.send(.post, path, HTTPBody("x")).status == .notFound)
        for (old, new) in [("com.example.notes", "other"), ("development", "production"), ("/assets/1", "/assets/2")] {
            #expect(try await server.send(.get, path.replacing(old, with: new)).status == .notFound)
        }
        var characters = Array(path)
        let position = characters.count - 30
        characters[position] = characters[position] == "A" ? "B" : "A"
        #expect(try await server.send(.get, String(characters)).status == .notFound)
        let segments = path.split(separator: "/").map(String.init)
        let later = Date() + AssetTicket.validity + 301
        #expect(throws: HTTPError.self) {
            try AssetTicket.read(segments, for: .download, server.server.secret(of:), at: later)
        }
        // The receipt of Ann's upload gives Ben nothing.
        let value = try await save(HTTPBody(bytes), token: "_cara")["fields"]?["file"]?["value"]
        let receipt = try value?["receipt"]?.string() ?? ""
        let file = #"{"fileChecksum":"x","size":3,"receipt":"\#(receipt)"}"#
        let record = #"{"recordName":"n1","recordType":"Notes","fields":{"file":{"value":\#(file)}}}"#
        let save = #"{"operations":[{"operationType":"create","record":\#(record)}]}"#
        #expect(
            try await server.cloudKit(.recordsModify, save, token: "_ben").json["records"]?
                .elements.first { _ in true }?["fields"] == nil)
    }

    @Test("have URLs that are in no log")
    func log() async throws {
        let records = Records()
        var configuration = RecordServer.Configuration()
        configuration.log = { records.add($0) }
        let server = try TestServer(configuration: configuration)
        for (path, status, logged) in [
            ("/assets/1/com.example.notes/development/secret/a", 404, "/assets"),
            ("/assets/1/com.example.notes/development/secret/", 400, "/assets"),
            ("/assets/1/com.example.notes/development/secret/..", 400, "/assets"),
            ("//assets/1/com.example.notes/development/secret", 400, "/assets"),
            ("/%61ssets/1/com.example.notes/development/secret", 404, "/assets"),
            ("/courier/1/com.example.notes/development/secret/", 400, "/courier"),
            ("/courier/1/com.example.notes/development/secret?a=%zz", 400, "/courier"),
            ("/share/secret", 404, "/share"),
        ] {
            #expect(try await server.send(.get, path).status.code == status, "\(path)")
            #expect(records.all.last?.path == logged, "\(path)")
        }
    }

    @Test("end with the record that has them")
    func deletion() async throws {
        let path = try downloadPath(try await save(HTTPBody(bytes)))
        let delete = #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"n1"}}]}"#
        #expect(try await server.cloudKit(.recordsModify, delete, token: "_ann").status == 200)
        #expect(try await server.send(.get, path).status == .notFound)
    }
}

/// A service that has other bytes of an asset after the first ones: none, or too many.
private struct UnevenService: WrappingService {
    let base: any DatabaseService
    let count: Int

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await base.perform(request, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        if range.lowerBound > 0 { return Data(count: count * (range.count + 1)) }
        return try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }
}

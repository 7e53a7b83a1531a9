import Cabinet
import CabinetSQLite
import CabinetTesting
import CabinetWire
import Foundation
import Synchronization
import Testing

@testable import CabinetServer

@Suite("A failure of the server")
struct FailureTests {
    private static let file = "/srv/store/private-1.sqlite"
    private static let targets = [
        CabinetRoute.request("fetchZones", in: TestServer.container).target.description,
        CloudKitRoute(.zonesList, in: TestServer.container, scope: .private).target.description,
    ]

    private static func store(_ code: CabinetError.Code) -> CabinetError {
        var error = CabinetError(code, "The secret server 10.0.0.7 does not answer.", retryAfterSeconds: 1)
        error.isOfStore = true
        return error
    }

    /// Sends a request of each dialect to a server whose store fails.
    private func check(
        _ error: any Error, time: Duration = .seconds(60),
        _ body: (_ response: HTTPResponse, _ text: String, _ record: RequestRecord) throws -> Void
    ) async throws {
        let records = Records()
        var configuration = RecordServer.Configuration()
        configuration.log = { records.add($0) }
        configuration.limits.time = time
        let server = try TestServer(configuration: configuration) { FailingService(base: $0, error: error) }
        try await check(server, records, body)
    }

    private func check(
        _ server: TestServer, _ records: Records,
        _ body: (_ response: HTTPResponse, _ text: String, _ record: RequestRecord) throws -> Void
    ) async throws {
        for target in Self.targets {
            let json = target.hasPrefix("/cabinet/") ? #"{"scope":2}"# : "{}"
            let response = try await server.send(.post, target, HTTPBody(json), token: "_ann")
            let text = String(decoding: try await response.body.collect(upTo: 1 << 16), as: UTF8.self)
            try body(response, text, try #require(records.all.last))
        }
    }

    @Test(
        "is written to the log alone, under the ID that the client gets",
        arguments: [
            (CabinetError(.internalError, "The store's file \(file) is not an SQLite database."), 500),
            (CabinetError(.internalError, "secret: The table is damaged."), 500),
            (CabinetError(.zoneBusy, "The store's file \(file) is locked.", retryAfterSeconds: 1), 503),
            (
                CabinetError(
                    .serviceUnavailable, "Try again.", underlyingError: CabinetError(.internalError, "No file \(file).")
                ), 503
            ),
            (store(.permissionFailure), 503), (store(.badContainer), 503), (store(.networkFailure), 503),
            (store(.zoneBusy), 503), (CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file]), 500),
        ] as [(any Error, Int)])
    func log(error: any Error, status: Int) async throws {
        try await check(error) { response, text, record in
            #expect(response.status.code == status)
            #expect(!text.contains("sqlite") && !text.contains("secret"), "\(text)")
            #expect(text.contains("under the ID \(record.id)"), "\(text)")
            #expect(record.error == "\(error)")
        }
    }

    @Test(
        "of an SQLite store whose file was replaced or removed is written to the log alone too",
        arguments: [true, false])
    func lostFile(isReplaced: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend = SQLiteBackend(directory: folder)
        let service = try LocalDatabaseService(backend: backend)
        let records = Records()
        var configuration = RecordServer.Configuration()
        configuration.log = { records.add($0) }
        let server = try TestServer(configuration: configuration) { _ in service }
        try await server.save(Record("Notes", "a", title: "A"), token: "_ann")
        // Reading opens the file.
        _ = try await server.perform(FetchZonesRequest(in: .private), token: "_ann")
        let (file, copy) = (folder.appending(path: "private-_ann.sqlite"), folder.appending(path: "copy"))
        try FileManager.default.copyItem(at: file, to: copy)
        try FileManager.default.removeItem(at: file)
        if isReplaced { try FileManager.default.moveItem(at: copy, to: file) }
        // The store does not check its file again within a millisecond.
        try await Task.sleep(for: .milliseconds(2))
        try await check(server, records) { response, text, record in
            #expect(response.status.code == 503)
            let code = try? CabinetError.coding.decode(Array(text.utf8)).code
            #expect(code == .serviceUnavailable || text.contains(#""serverErrorCode":"TRY_AGAIN_LATER""#), "\(text)")
            #expect(!text.contains("sqlite") && !text.contains(folder.lastPathComponent), "\(text)")
            #expect(text.contains("under the ID \(record.id)"), "\(text)")
            #expect(record.error?.contains(file.lastPathComponent) == true)
        }
        await backend.close()
    }

    @Test(
        "of single items is written to the log alone too: the first one, and their number",
        arguments: [
            CabinetError(.internalError, "The store's file \(file) is damaged."),
            CabinetError(.zoneBusy, "The store's file \(file) is locked.", retryAfterSeconds: 1),
        ])
    func items(error: CabinetError) async throws {
        let records = Records()
        var configuration = RecordServer.Configuration()
        configuration.log = { records.add($0) }
        let server = try TestServer(configuration: configuration) { FailingItems(base: $0, error: error) }
        for (target, body, count) in try Self.itemRequests() {
            let response = try await server.send(.post, target, HTTPBody(Data(body)), token: "_ann")
            #expect(response.status == .ok, "\(target)")
            let text = String(decoding: try await response.body.collect(upTo: 1 << 16), as: UTF8.self)
            let record = try #require(records.all.last)
            #expect(!text.contains("sqlite"), "\(target): \(text)")
            #expect(text.ranges(of: "under the ID \(record.id)").count == count, "\(target): \(text)")
            let number = count == 1 ? "" : "\nThe first of \(count) errors of the request."
            #expect(record.error == "\(error)\(number)", "\(target)")
        }
    }

    /// Requests of each dialect, with the number of items that fail.
    private static func itemRequests() throws -> [(target: String, body: [UInt8], count: Int)] {
        func cabinet<Request: ServiceRequest>(_ request: Request, _ count: Int) throws -> (String, [UInt8], Int) {
            let route = CabinetRoute.request(Request.name, in: TestServer.container)
            return (route.target.description, try Request.coding.encode(request), count)
        }
        func cloudKit(_ operation: CloudKitOperation, _ json: String, _ count: Int) -> (String, [UInt8], Int) {
            let route = CloudKitRoute(operation, in: TestServer.container, scope: .private)
            return (route.target.description, Array(json.utf8), count)
        }
        var fetch = FetchRecordsRequest(in: .private)
        fetch.recordIDs = ["a", "b", "c"].map { RecordID(recordName: $0) }
        var modify = ModifyRecordsRequest(in: .private)
        modify.recordsToSave = [Record("Notes", "a", title: "A")]
        modify.recordIDsToDelete = [RecordID(recordName: "b")]
        modify.isAtomic = false
        let names = #"[{"recordName":"a","fieldName":"f"},{"recordName":"b","fieldName":"f"}]"#
        let delete = #"{"operationType":"forceDelete","record":{"recordName":"a"}}"#
        return [
            try cabinet(fetch, 3), try cabinet(modify, 2), try cabinet(FetchZonesRequest(in: .private), 1),
            cloudKit(.recordsLookup, #"{"records":\#(names)}"#, 2),
            cloudKit(.recordsModify, #"{"operations":[\#(delete)]}"#, 1),
            cloudKit(.assetsRereference, #"{"assets":\#(names)}"#, 2), cloudKit(.zonesList, "{}", 1),
            cloudKit(.subscriptionsLookup, #"{"subscriptions":[{"subscriptionID":"a"}]}"#, 1),
        ]
    }

    @Test("stays out of the causes of a client's errors, and of what the store keeps for a repetition")
    func causes() async throws {
        let cause = CabinetError(.internalError, "The store's file \(Self.file) is damaged.")
        let error = CabinetError(.unknownItem, "There is no such record.", underlyingError: cause)
        let server = try TestServer { FailingItems(base: $0, error: error) }
        var fetch = FetchRecordsRequest(in: .private)
        fetch.recordIDs = [RecordID(recordName: "a")]
        let result = try await server.perform(fetch, token: "_ann").results[0]
        let found = try #require(#expect(throws: CabinetError(.unknownItem)) { try result.get() })
        #expect(found.message == error.message)
        #expect("\(found)".contains("under the ID") && !"\(found)".contains("sqlite"))
        // The service does its work without the mask.
        let maskless = Mutex<[Bool]>([])
        let other = try TestServer { service in
            ObservedService(base: service) { maskless.withLock { $0.append(ServerCoding.current == nil) } }
        }
        _ = try await other.perform(fetch, token: "_ann")
        #expect(maskless.withLock(\.self) == [true])
    }

    @Test("does not include errors of the client, whose text it gets")
    func client() async throws {
        try await check(CabinetError(.invalidArguments, "The text 'a /b' has no index.")) { response, text, record in
            #expect(response.status == .badRequest)
            #expect(text.contains("has no index."))
            #expect(record.error == nil)
        }
    }

    @Test("does not include a request that takes too long, which may be sent again", arguments: [true, false])
    func late(isCoded: Bool) async throws {
        let error: any Error = isCoded ? CabinetError(.operationCancelled, "Cancelled.") : CancellationError()
        try await check(error, time: .milliseconds(20)) { response, text, record in
            #expect(response.status == .serviceUnavailable)
            #expect(response.headerFields[.retryAfter] == "1")
            #expect(record.error == nil)
        }
    }
}

/// A service whose requests fail, those with a short limit when they are cancelled.
private struct FailingService: WrappingService {
    let base: any DatabaseService
    let error: any Error

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if error is CancellationError || (error as? CabinetError)?.code == .operationCancelled {
            try? await Task.sleep(for: .seconds(60))
        }
        throw error
    }
}

/// A service all of whose items fail.
private struct FailingItems: WrappingService {
    let base: any DatabaseService
    let error: CabinetError

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let answer = try await base.perform(request, for: caller)
        var failed: any ServiceValue = answer
        switch answer {
        case var response as FetchRecordsRequest.Response:
            response.results = response.results.map { _ in .failure(error) }
            failed = response
        case var response as ModifyRecordsRequest.Response:
            response.saveResults = response.saveResults.map { _ in .failure(error) }
            response.deleteErrors = response.deleteErrors.map { _ in error }
            failed = response
        case var response as FetchZonesRequest.Response:
            response.results = response.results.map { _ in .failure(error) }
            failed = response
        case var response as FetchSubscriptionsRequest.Response:
            response.results = response.results.map { _ in .failure(error) }
            failed = response
        default: break
        }
        return failed as? Request.Response ?? answer
    }
}

/// A service that reports each of its requests.
private struct ObservedService: WrappingService {
    let base: any DatabaseService
    let report: @Sendable () -> Void

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        report()
        return try await base.perform(request, for: caller)
    }
}

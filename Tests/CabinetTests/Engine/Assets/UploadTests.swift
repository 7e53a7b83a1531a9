import CabinetTesting
import Foundation
import Synchronization
import Testing

@testable import Cabinet

@Suite("Uploads through the upper seam")
struct UploadTests {
    private let service: LocalDatabaseService
    private let ann = Caller(account: Account(userRecordName: "_ann"), deviceID: "ann's")
    private let ben = Caller(account: Account(userRecordName: "_ben"), deviceID: "ben's")

    init() throws {
        service = try LocalDatabaseService(backend: MemoryBackend())
    }

    private func code(_ body: () async throws -> Void) async -> CabinetError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CabinetError)?.code
        }
    }

    @Test("A part that arrives again is skipped, and one after a gap is refused")
    func parts() async throws {
        let upload = try await service.perform(BeginUploadRequest(), for: ann).upload
        try await service.send(Data([1, 2, 3]), to: upload, at: 0, for: ann)
        try await service.send(Data([1, 2, 3]), to: upload, at: 0, for: ann)
        try await service.send(Data([3, 4]), to: upload, at: 2, for: ann)
        #expect(await code { try await service.send(Data([6]), to: upload, at: 5, for: ann) } == .invalidArguments)
        #expect(await code { try await service.send(Data([6]), to: upload, at: -1, for: ann) } == .invalidArguments)
        let asset = try await service.perform(FinishUploadRequest(upload: upload), for: ann)
        #expect(asset == StoredAsset(checksum: Asset.Checksum(of: Data([1, 2, 3, 4])), size: 4))
        // The response may have been lost.
        #expect(try await service.perform(FinishUploadRequest(upload: upload), for: ann) == asset)
        try await service.send(Data([4]), to: upload, at: 3, for: ann)
        #expect(await code { try await service.send(Data([5]), to: upload, at: 4, for: ann) } == .invalidArguments)
    }

    @Test("An upload belongs to its user, and to its database")
    func owner() async throws {
        let upload = try await service.perform(BeginUploadRequest(), for: ann).upload
        #expect(await code { try await service.send(Data([1]), to: upload, at: 0, for: ben) } == .unknownItem)
        #expect(
            await code { _ = try await service.perform(FinishUploadRequest(upload: upload), for: ben) } == .unknownItem)
        _ = try await service.perform(EndUploadsRequest(uploads: [upload]), for: ben)
        try await service.send(Data([1]), to: upload, at: 0, for: ann)
        let asset = try await service.perform(FinishUploadRequest(upload: upload), for: ann)
        var record = Record(recordType: "Notes", recordID: "note")
        record["file"] = Asset(asset)
        let elsewhere = ModifyRecordsRequest(scope: .public, recordsToSave: [record], uploads: [upload])
        #expect(await code { _ = try await service.perform(elsewhere, for: ann) } == .invalidArguments)
        _ = try await service.perform(EndUploadsRequest(uploads: [upload]), for: ann)
        #expect(await code { try await service.send(Data([1]), to: upload, at: 0, for: ann) } == .unknownItem)
    }

    @Test("One call has at most a megabyte, in both directions")
    func limits() async throws {
        let upload = try await service.perform(BeginUploadRequest(), for: ann).upload
        let megabyte = Data(count: 1 << 20)
        try await service.send(megabyte, to: upload, at: 0, for: ann)
        #expect(
            await code { try await service.send(Data(count: 1 << 20 + 1), to: upload, at: 1 << 20, for: ann) }
                == .limitExceeded)
        let asset = try await service.perform(FinishUploadRequest(upload: upload), for: ann)
        var record = Record(recordType: "Notes", recordID: "note")
        record["file"] = Asset(asset)
        let save = ModifyRecordsRequest(recordsToSave: [record], uploads: [upload])
        #expect(try await service.perform(save, for: ann).saveResults.count == 1)
        func bytes(_ range: Range<Int64>) async throws {
            _ = try await service.bytes(of: asset, of: "note", in: range, scope: .private, for: ann)
        }
        #expect(await code { try await bytes(0..<1 << 20) } == nil)
        #expect(await code { try await bytes(0..<1 << 20 + 1) } == .limitExceeded)
        #expect(await code { try await bytes(1..<Int64.max) } == .limitExceeded)
        #expect(await code { try await bytes(Int64.min..<0) } == .assetNotAvailable)
    }

    @Test("The bytes of a shared file count once, although its upload is finished again after a failure")
    func finishedAgain() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        try Data("picture".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let upload = UploadInProgress(FailingUpload(), in: .public, of: "_ann")
        #expect(try await upload.clone(file))
        #expect(await code { _ = try await upload.finish() } == .quotaExceeded)
        let asset = try await upload.finish()
        #expect(asset == StoredAsset(checksum: Asset.Checksum(of: Data("picture".utf8)), size: 7))
    }

    @Test("The uploads of a cancelled save are ended, although a server refuses the requests of cancelled tasks")
    func cancelledSave() async throws {
        let client = CancellingService(base: service)
        let container = try Container(identifier: "com.example.test", service: client, account: ann.account)
        let save = Task {
            var record = Record(recordType: "Notes")
            record["file"] = Asset(data: Data([1, 2, 3]))
            return try await container.privateDatabase.save(record)
        }
        await #expect(throws: CabinetError(.operationCancelled)) { try await save.value }
        #expect(client.endedUploads.withLock(\.self) == 1)
    }

    @Test("A service holds a limited number of uploads, and ends those that no call names for long")
    func registry() async throws {
        let backend = MemoryBackend()
        let full = UploadRegistry(countLimit: 2)
        for _ in 0..<2 { _ = try await full.begin(in: .public, of: backend, for: "_ann") }
        #expect(await code { _ = try await full.begin(in: .public, of: backend, for: "_ann") } == .limitExceeded)
        await full.endAll()
        _ = try await full.begin(in: .public, of: backend, for: "_ann")

        let fair = UploadRegistry(countLimit: 9, userLimit: 2)
        for user in ["_ann", "_ann", "_ben"] { _ = try await fair.begin(in: .public, of: backend, for: user) }
        #expect(await code { _ = try await fair.begin(in: .public, of: backend, for: "_ann") } == .limitExceeded)
        _ = try await fair.begin(in: .public, of: backend, for: "_ben")

        let hasty = UploadRegistry(idleLimit: .zero, countLimit: 1)
        let first = try await hasty.begin(in: .public, of: backend, for: "_ann")
        let second = try await hasty.begin(in: .public, of: backend, for: "_ann")
        #expect(await code { _ = try hasty.upload(first.id, of: ann) } == .unknownItem)
        #expect(try hasty.upload(second.id, of: ann) === second)
    }
}

/// An upload that shares files, and whose first finish fails.
private final class FailingUpload: AssetUpload {
    let id = UUID()
    private let isFull = Mutex(true)

    func clone(_ file: URL) async throws -> URL? { file }

    func append(_ bytes: Data) async throws {}

    func finish() async throws {
        let isFull = isFull.withLock { isFull in
            defer { isFull = false }
            return isFull
        }
        if isFull { throw CabinetError(.quotaExceeded, "The disk is full.") }
    }

    func end() async {}
}

/// A service that refuses the requests of cancelled tasks, as one on a server does, and that cancels the tasks that send bytes.
private final class CancellingService: WrappingService {
    let base: any DatabaseService
    let endedUploads = Mutex(0)

    init(base: any DatabaseService) { self.base = base }

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        if Task.isCancelled { throw CabinetError(.operationCancelled, "The task was cancelled.") }
        if let end = request as? EndUploadsRequest { endedUploads.withLock { $0 += end.uploads.count } }
        return try await base.perform(request, for: caller)
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        withUnsafeCurrentTask { $0?.cancel() }
    }
}

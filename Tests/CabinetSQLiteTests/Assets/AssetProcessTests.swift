import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Processes that die while they store assets, and several at once.
@Suite(.timeLimit(.minutes(15))) struct AssetProcessTests {
    private func start(_ step: String, in store: Store) throws -> SavingProcess {
        try SavingProcess([store.directory.path, "assets", step])
    }

    /// Lets a process perform a step, and then kills it.
    ///
    /// - Returns: Its output.
    private func kill(after step: String, in store: Store) throws -> String {
        let process = try start(step, in: store)
        var printed = ""
        while !printed.hasSuffix("ready\n") {
            let data = process.availableOutput()
            if data.isEmpty { break }
            printed += String(decoding: data, as: UTF8.self)
        }
        process.kill()
        let (_, errors, _) = process.finish()
        #expect(errors.isEmpty, "\(errors)")
        return printed
    }

    private func assets(_ store: Store) async throws -> [StoredAsset] {
        try await store.backend.read(.public) { try await $0.assets(after: nil, limit: 10) }
    }

    @Test func anUploadDiesWithItsProcess() async throws {
        let store = Store()
        _ = try kill(after: "upload", in: store)
        #expect(store.assetFiles().filter { !$0.hasSuffix(".lock") }.count == 2)
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 2)
        #expect(store.assetFiles().isEmpty)
        #expect(!store.exists)
    }

    @Test func whatWasNotCommittedIsCollected() async throws {
        let store = Store()
        _ = try kill(after: "add", in: store)
        // The upload, the name of the database, and that of the pool.
        #expect(store.assetFiles().filter { !$0.hasSuffix(".lock") }.count == 3)
        #expect(try await assets(store).isEmpty)
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 2)
        #expect(store.assetFiles().isEmpty)
    }

    @Test func whatWasRemovedIsCollectedByTheNext() async throws {
        let store = Store()
        let (_, errors, _) = try start("remove", in: store).finish()
        #expect(errors.isEmpty, "\(errors)")
        #expect(try await assets(store).isEmpty)
        let upload = try await store.upload(Data([1]))
        #expect(
            try await store.eventually { store.assetFiles().filter { !$0.hasPrefix("sessions") }.isEmpty })
        await upload.end()
    }

    @Test func aReadersFilesDieWithItsProcess() async throws {
        let store = Store()
        let path = try kill(after: "read", in: store).split(separator: "\n").first.map(String.init)
        #expect(try Data(contentsOf: URL(fileURLWithPath: #require(path))) == Data(repeating: 1, count: 100_000))
        try await store.backend.removeAbandonedAssets(from: .public)
        #expect(store.assetFiles().isEmpty)
    }

    /// The files of another living process are left alone.
    @Test func livingProcessesKeepTheirFiles() async throws {
        let store = Store()
        let process = try start("upload", in: store)
        #expect(process.availableOutput() == Data("ready\n".utf8))
        #expect(try await store.backend.removeAbandonedAssets(from: .public) == 0)
        #expect(store.assetFiles().filter { !$0.hasSuffix(".lock") }.count == 2)
        process.kill()
        _ = process.finish()
    }

    @Test(arguments: [3, 30, 90]) func noStateIsWithoutItsBytes(count: Int) async throws {
        let store = Store()
        let processes = try (0..<2).map { _ in try start("churn", in: store) }
        var printed = Data()
        while printed.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let data = processes[0].availableOutput()
            if data.isEmpty { break }
            printed += data
        }
        for process in processes { process.kill() }
        for process in processes { #expect(process.finish().errors.isEmpty) }
        try await store.backend.removeAbandonedAssets(from: .public)
        let found = try await assets(store)
        for asset in found {
            let byte = try #require(asset.checksum.bytes.first)
            #expect(try Data(contentsOf: store.file(asset)) == Data(repeating: byte, count: 100_000))
        }
        // Nothing else remains; the file in the pool is the same.
        #expect(
            store.assetFiles()
                == (["pool", "public"].flatMap { folder in
                    found.map { "\(folder)/\(AssetStore.subfolder(of: $0.checksum))/\($0.checksum)" }
                }))
        #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    }

    /// Programs that are killed while they save: saved records have their bytes, and nothing else remains.
    @Test(arguments: [2, 7, 19]) func noRecordIsWithoutItsPicture(count: Int) async throws {
        let store = Store()
        let processes = try ["pictures-a", "pictures-b"].map { try start($0, in: store) }
        var printed = Data()
        while printed.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let data = processes[0].availableOutput()
            if data.isEmpty { break }
            printed += data
        }
        for process in processes { process.kill() }
        printed += processes[0].finish().output
        #expect(processes[1].finish().errors.isEmpty)
        let lines = printed.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        let database = try Container(identifier: "org.cabinet.saving-process", backend: store.backend).publicDatabase
        let records = try await database.allRecords(matching: Query(recordType: "Notes"))
        // An incomplete line was not printed.
        let last = printed.last == UInt8(ascii: "\n") ? lines.last : lines.dropLast().last
        #expect(records.contains { $0.recordID.recordName == last })
        var checksums: Set<Asset.Checksum> = []
        for record in records {
            let (image, pages): (Asset?, [Asset]?) = (record["image"], record["pages"])
            let number = try #require(Int(record.recordID.recordName.dropFirst(2)))
            let bytes = try await #require(image).data()
            #expect(bytes == Data(repeating: UInt8(number % 5), count: number % 4 == 0 ? 1_200_000 : 100_000))
            let texts = try #require(pages)
            #expect(try await texts[0].data() == Data("page \(number)".utf8))
            #expect(try await texts[1].data() == Data("page".utf8))
            checksums.formUnion((texts + [image].compactMap(\.self)).compactMap(\.checksum))
        }
        try await store.backend.removeAbandonedAssets(from: .public)
        // A process may have been killed before it removed the assets of a record that it had deleted.
        var further = Record(recordType: "Notes", recordID: "further")
        further["pages"] = [Asset(data: Data("further".utf8))]
        try await database.save(further)
        try await database.deleteRecord(withID: further.recordID)
        await store.backend.close()
        #expect(
            store.assetFiles()
                == ["pool", "public"].flatMap { folder in
                    checksums.sorted().map { "\(folder)/\(AssetStore.subfolder(of: $0))/\($0)" }
                })
    }

    /// A file of any size is never in memory as a whole.
    @Test func aLargeFileTakesLittleMemory() async throws {
        let store = Store()
        let (output, errors, status) = try start("large", in: store).finish()
        #expect(status == 0, "\(errors)")
        let kibibytes = try #require(Int(String(decoding: output, as: UTF8.self).dropLast()))
        #expect(kibibytes < 64 << 10)
        #expect(store.assetFiles().count == 2)
    }

    @Test func aFullDiskIsReported() async throws {
        let store = Store()
        let (_, errors, status) = try start("full", in: store).finish()
        #expect(status == 1)
        #expect(errors.contains("quotaExceeded") && errors.contains(store.assetFolder.path), "\(errors)")
        #expect(errors.contains("Nothing was changed"))
        #expect(store.assetFiles().isEmpty && !store.exists)
    }
}

/// Two backends on one directory, and several databases, add and remove the same assets repeatedly.
@Suite(.timeLimit(.minutes(15))) struct AssetContentionTests {
    @Test func noAssetOfARecordIsEverMissing() async throws {
        let store = Store()
        let others = [store, Store(in: store.directory)]
        let assets = try (1...3).map { try StoredAsset($0, size: 1000) }
        @Sendable func bytes(_ asset: StoredAsset) -> Data { Data(repeating: asset.checksum.bytes[0], count: 1000) }
        let databases: [DatabaseKey] = [.public, .private(owner: "a")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (writer, database) in [(0, 0), (0, 0), (1, 0), (1, 0), (1, 1)].enumerated() {
                let (store, database) = (others[database.0], databases[database.1])
                group.addTask {
                    for round in 0..<60 {
                        let asset = assets[(round + writer) % 3]
                        let name = "r-\(writer)-\(round % 4)"
                        try await store.add(asset, of: bytes(asset), to: [name], in: database)
                        try await store.backend.read(database) { snapshot async throws in
                            let record = try await snapshot.records(for: [RecordID(recordName: name)], keys: nil)[0]
                            #expect(record?.fields["image"] == .asset(Asset(asset)))
                            let read = try await snapshot.bytes(of: asset.checksum, in: 0..<1000)
                            #expect(read == bytes(asset), "\(writer) \(round)")
                        }
                        try await store.remove([name], having: [asset], in: database)
                    }
                }
            }
            for reader in 0..<2 {
                group.addTask {
                    // A file that was returned once is returned again: each round has a backend of its own.
                    for round in 0..<40 {
                        let own = SQLiteBackend(directory: store.directory)
                        try await own.read(.public) { snapshot async throws in
                            let found = try await snapshot.assets(after: nil, limit: 10)
                            try await Task.sleep(for: .milliseconds(round % 40))
                            let files = try await own.files(of: found, in: .public)
                            for (asset, file) in zip(found, files ?? []) {
                                let read = try file.map { try Data(contentsOf: $0) }
                                #expect(read == bytes(asset), "reader \(reader) \(round)")
                            }
                        }
                        await own.close()
                    }
                }
            }
            try await group.waitForAll()
        }
        for database in databases { try await store.backend.removeAbandonedAssets(from: database) }
        await others[1].backend.close()
        #expect(store.assetFiles().filter { !$0.hasSuffix(".lock") }.isEmpty)
    }
}

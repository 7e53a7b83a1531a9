import Cabinet
import Foundation

/// Single steps of storing an asset.
///
/// Each of them ends by waiting to be killed.
///
/// The assets' checksums are invented: a backend trusts the given one.
struct AssetSteps {
    let backend: any StorageBackend

    func run(_ step: String) async {
        do {
            switch step {
            case "upload": try await upload()
            case "add": try await add()
            case "remove": try await remove()
            case "read": try await read()
            case "churn": try await churn()
            case "full": try await fill()
            case "small": try await saveLarge(1 << 20)
            case "medium": try await saveLarge(20 << 20)
            case "large": try await saveLarge(100 << 20)
            case "pictures-a", "pictures-b": try await savePictures(prefix: String(step.suffix(1)))
            default: exit(64)
            }
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private var assets: any AssetStorage {
        get throws {
            guard let assets = backend.abilities.assets else { throw CocoaError(.featureUnsupported) }
            return assets
        }
    }

    private func asset(_ number: UInt8) throws -> StoredAsset {
        guard let checksum = Asset.Checksum(Array(repeating: number, count: 32)) else {
            throw CocoaError(.coderInvalidValue)
        }
        return StoredAsset(checksum: checksum, size: 100_000)
    }

    private func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    private func waitForTheEnd() -> Never {
        say("ready")
        while true { sleep(1000) }
    }

    private func uploaded(_ number: UInt8, to database: DatabaseKey = .public) async throws -> any AssetUpload {
        let upload = try await assets.beginUpload(to: database)
        try await upload.append(Data(repeating: number, count: 100_000))
        return upload
    }

    /// Bytes that no transaction has added.
    private func upload() async throws {
        let upload = try await uploaded(1)
        let other = try await uploaded(2)
        try await other.finish()
        withExtendedLifetime((upload, other)) { waitForTheEnd() }
    }

    /// A transaction that is killed before its commit.
    private func add() async throws {
        let upload = try await uploaded(1)
        try await upload.finish()
        let asset = try asset(1)
        try await backend.write(.public) { transaction in
            try await transaction.apply([.addAsset(asset, uploadedAs: upload.id)])
            waitForTheEnd()
        }
    }

    /// A committed removal whose files still exist.
    private func remove() async throws {
        let upload = try await uploaded(1)
        try await upload.finish()
        let asset = try asset(1)
        try await backend.write(.public) { try await $0.apply([.addAsset(asset, uploadedAs: upload.id)]) }
        try await backend.write(.public) { try await $0.apply([.removeAsset(asset.checksum)]) }
        kill(getpid(), SIGKILL)
    }

    /// A reader with a file of its own.
    private func read() async throws {
        let upload = try await uploaded(1)
        try await upload.finish()
        let asset = try asset(1)
        try await backend.write(.public) { try await $0.apply([.addAsset(asset, uploadedAs: upload.id)]) }
        await upload.end()
        guard let file = try await assets.files(of: [asset], in: .public)?.first ?? nil else { return }
        say(file.path)
        try await backend.write(.public) { try await $0.apply([.removeAsset(asset.checksum)]) }
        waitForTheEnd()
    }

    /// Assets that are added, and removed with the next ones, until the process is killed.
    private func churn() async throws {
        for round in 0... {
            let number = UInt8(round % 5 + 1)
            let upload = try await uploaded(number)
            try await upload.finish()
            let (new, old) = try (asset(number), asset(UInt8((round + 4) % 5 + 1)))
            try await backend.write(.public) { transaction in
                try await transaction.apply([.addAsset(new, uploadedAs: upload.id)])
                if round > 0 { try await transaction.apply([.removeAsset(old.checksum)]) }
            }
            await upload.end()
            say("\(number)")
        }
    }

    /// Records with pictures that are saved as a program does.
    ///
    /// All but the last two are deleted, until the process is killed.
    private func savePictures(prefix: String) async throws {
        let database = try Container(identifier: "org.cabinet.saving-process", backend: backend).publicDatabase
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString).jpg")
        for number in 0... {
            // Larger ones are copied while they are read, smaller ones are looked up first; some are equal.
            let size = number % 4 == 0 ? 1_200_000 : 100_000
            try Data(repeating: UInt8(number % 5), count: size).write(to: file)
            var record = Record(recordType: "Notes", recordID: RecordID(recordName: "\(prefix)-\(number)"))
            record["image"] = Asset(fileURL: file)
            record["pages"] = [Asset(data: Data("page \(number)".utf8)), Asset(data: Data("page".utf8))]
            try await database.save(record)
            say(record.recordID.recordName)
            if number >= 2 { try await database.deleteRecord(withID: RecordID(recordName: "\(prefix)-\(number - 2)")) }
        }
    }

    /// A large file that is saved and written elsewhere, and the maximum memory of that in KiB.
    private func saveLarge(_ size: UInt64) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, copy) = (folder.appendingPathComponent("large"), folder.appendingPathComponent("copy"))
        try Data("begin".utf8).write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: size)
        try handle.close()
        let database = try Container(identifier: "org.cabinet.saving-process", backend: backend).publicDatabase
        var record = Record(recordType: "Notes", recordID: RecordID(recordName: "large"))
        record["image"] = Asset(fileURL: file)
        try await database.save(record)
        let saved: Asset? = try await database.record(for: record.recordID)["image"]
        try await saved?.write(to: copy)
        let written = try FileHandle(forReadingFrom: copy)
        guard try written.seekToEnd() == size else { throw CocoaError(.fileReadCorruptFile) }
        #if canImport(Darwin)
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        say("\(usage.ru_maxrss / 1024)")
        #else
        // The other figure is at least that of the parent process.
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        say(line?.split(separator: " ").dropFirst().first.map(String.init) ?? "")
        #endif
        await backend.close()
    }

    /// A disk on which a file is limited to 50,000 bytes.
    private func fill() async throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 50_000, rlim_max: 50_000)
        #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        let upload = try await assets.beginUpload(to: .public)
        do {
            try await upload.append(Data(repeating: 1, count: 40_000))
            try await upload.append(Data(repeating: 1, count: 40_000))
        } catch {
            await upload.end()
            await backend.close()
            throw error
        }
    }
}

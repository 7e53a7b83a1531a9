import Cabinet
import CabinetEncryption
import Foundation
import Testing

/// Secret keys in files.
@Suite("A key store of files")
struct FileKeyStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID())")

    private func keys(_ store: FileKeyStore, of user: String = "ann") async throws -> [Data] {
        try await all(store, of: user).secretKeys
    }

    private func all(_ store: FileKeyStore, of user: String = "ann") async throws -> UserKeys {
        try await store.keys(of: user, in: "com.example.diary") { try AESGCMCipher().makeSecretKey() }
    }

    private func permissions(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test("keeps one key for each user and container, which only the owner of the file reads")
    func files() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = FileKeyStore(directory: folder)
        let ann = try await keys(store)
        #expect(ann.count == 1 && ann[0].count == 32)
        #expect(try await keys(FileKeyStore(directory: folder)) == ann)
        #expect(try await keys(store, of: "Ann") != ann)
        let other = try await store.keys(of: "ann", in: "com.example.notes") { try AESGCMCipher().makeSecretKey() }
        #expect(other.secretKeys != ann)
        #expect(try permissions(folder) == 0o700)
        #expect(try permissions(store.url(of: "ann", in: "com.example.diary")) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    }

    @Test("gives all who ask for the first key at the same time the same one")
    func race() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for round in 0..<20 {
            let found = try await withThrowingTaskGroup(of: [Data].self) { group in
                for _ in 0..<8 {
                    group.addTask { try await keys(FileKeyStore(directory: folder), of: "user\(round)") }
                }
                return try await group.reduce(into: Set<[Data]>()) { $0.insert($1) }
            }
            #expect(found.count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 20)
    }

    @Test("refuses a file that others can read, and a damaged one, and replaces neither")
    func damage() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = FileKeyStore(directory: folder)
        let file = store.url(of: "ann", in: "com.example.diary")
        _ = try await keys(store)
        let good = try Data(contentsOf: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        await #expect { _ = try await keys(store) } throws: { ($0 as? CabinetError)?.code == .permissionFailure }
        for damaged in [Data(), good.dropLast(), good.dropFirst(), good + Data("x\n".utf8), Data([0xFF, 0x0A])] {
            try damaged.write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            await #expect { _ = try await keys(store) } throws: { ($0 as? CabinetError)?.code == .internalError }
            #expect(try Data(contentsOf: file) == damaged)
        }
        let blocked = FileKeyStore(directory: file.appendingPathComponent("none"))
        await #expect { _ = try await keys(blocked) } throws: { ($0 as? CabinetError)?.code == .badContainer }
    }

    @Test("replaces a key, and keeps the old ones or revokes them")
    func replacement() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = FileKeyStore(directory: folder)
        let first = try await keys(store)
        try store.replaceKey(of: "ann", in: "com.example.diary", keepingOld: true)
        let second = try await keys(store)
        #expect(second.count == 2 && second.last == first.first)
        try store.replaceKey(of: "ann", in: "com.example.diary", keepingOld: false)
        let third = try await keys(store)
        #expect(third.count == 1 && !second.contains(third[0]))
        let lost = try Set(second.map { try AESGCMCipher().publicKey(of: $0) })
        #expect(try await all(store).revokedPublicKeys == lost)
        #expect(try permissions(store.url(of: "ann", in: "com.example.diary")) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test("remembers the first public key of another user, until one replaces it")
    func acceptedKeys() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = FileKeyStore(directory: folder)
        let container = "com.example.diary"
        let first = try await all(store)
        let keys = (0..<3).map { Data(repeating: UInt8($0), count: 32) }
        // The name has the characters that end a line or a part of one.
        for (position, name) in ["ben x\nrevoked y", "Ben", "ben x\nrevoked y"].enumerated() {
            let owner = KeyRecipient(userRecordName: name, publicKey: keys[position])
            try await store.accept(owner, replacing: false, for: "ann", in: container)
        }
        var found = try await all(FileKeyStore(directory: folder))
        #expect(found.acceptedKeys == ["ben x\nrevoked y": keys[0], "Ben": keys[1]])
        #expect(found.secretKeys == first.secretKeys && found.revokedPublicKeys == [])
        let owner = KeyRecipient(userRecordName: "Ben", publicKey: keys[2])
        try await store.accept(owner, replacing: true, for: "ann", in: container)
        try store.replaceKey(of: "ann", in: container, keepingOld: false)
        found = try await all(store)
        #expect(found.acceptedKeys["Ben"] == keys[2] && found.acceptedKeys.count == 2)
        #expect(found.revokedPublicKeys.count == 1 && found.secretKeys.count == 1)
        await #expect(throws: CabinetError(.invalidArguments)) {
            let short = KeyRecipient(userRecordName: "Ben", publicKey: Data([1]))
            try await store.accept(short, replacing: true, for: "ann", in: container)
        }
        #expect(try await all(store) == found)
        #expect(try permissions(store.url(of: "ann", in: container)) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test("keeps the keys of all who replace one at the same time, also of a user without a file")
    func replacements() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let store = FileKeyStore(directory: folder)
        // Few, because each waits for the disk twice, and the last one at most ten seconds for its turn.
        for _ in 0..<6 {
            // Threads, because calls that block take turns on those of tasks. Each call opens the folder by itself, as another process does.
            Thread.detachNewThread {
                for _ in 0..<3 {
                    let isDone: Void? = try? store.replaceKey(of: "ann", in: "com.example.diary", keepingOld: true)
                    end.yield(isDone != nil)
                }
            }
        }
        var count = 0
        for await isDone in ends {
            #expect(isDone)
            count += 1
            if count == 18 { break }
        }
        let found = try await keys(FileKeyStore(directory: folder))
        #expect(found.count == 19 && Set(found).count == 19)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test("refuses more keys than it reads")
    func tooMany() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = FileKeyStore(directory: folder)
        _ = try await keys(store)
        let file = store.url(of: "ann", in: "com.example.diary")
        let lines = (0..<999).map { Data(repeating: UInt8($0 % 256), count: 32).base64EncodedString() + "\n" }
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(lines.joined().utf8))
        try handle.close()
        let all = try await keys(store)
        #expect(all.count == 1_000)
        for keepsOld in [true, false] {
            #expect(throws: CabinetError(.limitExceeded)) {
                try store.replaceKey(of: "ann", in: "com.example.diary", keepingOld: keepsOld)
            }
        }
        #expect(try await keys(store) == all)
    }
}

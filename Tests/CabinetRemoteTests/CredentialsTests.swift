import Cabinet
import Foundation
import Testing

@testable import CabinetRemote

@Suite("The credentials of a program")
struct CredentialsTests {
    private func file(_ text: String, permissions: Int) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
        return file
    }

    @Test("They are those of the environment, or of a file that it names")
    func environment() throws {
        #expect(try Credentials(environment: [:]).userRecordName == nil)
        let both = ["CABINET_USER": "_ann", "CABINET_TOKEN": "t"]
        #expect(try Credentials(environment: both).userRecordName == "_ann")
        for name in both.keys {
            var one = both
            one[name] = ""
            #expect(throws: CabinetError.self) { try Credentials(environment: one) }
        }
        let file = try file(#"{"user": "_ben", "token": "t"}"#, permissions: 0o600)
        defer { try? FileManager.default.removeItem(at: file) }
        let named = both.merging(["CABINET_CREDENTIALS": file.path]) { $1 }
        #expect(try Credentials(environment: named).userRecordName == "_ben")
    }

    @Test("A token of an environment or a file may end in a line break, which is not part of it")
    func lineBreaks() async throws {
        let file = try file(#"{"user": "_ann", "token": " t\r\n"}"#, permissions: 0o600)
        defer { try? FileManager.default.removeItem(at: file) }
        for credentials in [
            try Credentials(environment: ["CABINET_USER": "_ann", "CABINET_TOKEN": "t\n"]),
            try Credentials(contentsOf: file),
        ] {
            #expect(try await credentials.token?() == "t")
        }
    }

    @Test(
        "A token that a request cannot have is refused, and is not shown",
        arguments: ["", "geh\neim", "geh eim", "gehéim"])
    func unsendable(_ token: String) async throws {
        func expect(_ body: () async throws -> Void) async {
            do {
                try await body()
                Issue.record("The token is taken.")
            } catch {
                let error = error as? CabinetError
                #expect(error?.code == .invalidArguments && error?.message.contains("geh") == false)
            }
        }
        await expect { _ = try Credentials(environment: ["CABINET_USER": "_ann", "CABINET_TOKEN": "\(token) "]) }
        let text = String(decoding: try JSONEncoder().encode(["user": "_ann", "token": token]), as: UTF8.self)
        let file = try file(text, permissions: 0o600)
        defer { try? FileManager.default.removeItem(at: file) }
        await expect { _ = try Credentials(contentsOf: file) }
        // The text after the line break would be another field, and the request would have no token.
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        var configuration = RemoteConfiguration()
        configuration.retryTimeLimit = .zero
        for text in [token, "\(token)\n"] {
            let container = try Container(
                identifier: "com.example.notes", server: url, credentials: .bearer(text, userRecordName: "_ann"),
                configuration: configuration)
            await expect { _ = try await container.privateDatabase.allRecordZones() }
            await container.close()
        }
    }

    @Test("A file that others can read or change is refused", arguments: [0o644, 0o640, 0o660, 0o620, 0o604, 0o602])
    func permissions(_ mode: Int) throws {
        let file = try file(#"{"user": "_ben", "token": "t"}"#, permissions: mode)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = #expect(throws: CabinetError.self) { try Credentials(contentsOf: file) }
        #expect(error?.code == .permissionFailure)
    }

    @Test("A file without credentials is refused, and its text is not shown", arguments: ["", "{", "[]", "geheim"])
    func malformed(_ text: String) throws {
        let file = try file(text, permissions: 0o600)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = #expect(throws: CabinetError.self) { try Credentials(contentsOf: file) }
        #expect(error?.code == .invalidArguments && error?.message.contains("geheim") == false)
        try FileManager.default.removeItem(at: file)
        #expect(throws: CabinetError.self) { try Credentials(contentsOf: file) }
    }

    @Test("Credentials of CloudKit Web Services are a server's key or a user's tokens, of the environment or a file")
    func cloudKit() throws {
        #expect(throws: CabinetError.self) { try CloudKitCredentials(environment: [:]) }
        let tokens = ["CABINET_API_TOKEN": "a", "CABINET_WEB_TOKEN": "w", "CABINET_USER": "_ann"]
        #expect(try CloudKitCredentials(environment: tokens).userRecordName == "_ann")
        let pem = try file(CloudKitWorld.privateKey, permissions: 0o600)
        let key = try file(#"{"keyID": "k", "privateKey": "\#(pem.lastPathComponent)"}"#, permissions: 0o600)
        let user = try file(#"{"apiToken": "a", "webToken": "w", "user": "_ben"}"#, permissions: 0o600)
        let none = try file(#"{"user": "_ben", "token": "geheim"}"#, permissions: 0o600)
        defer { for file in [pem, key, user, none] { try? FileManager.default.removeItem(at: file) } }
        let variables = ["CABINET_KEY_ID": "k", "CABINET_PRIVATE_KEY": pem.path]
        #expect(try CloudKitCredentials(environment: variables).userRecordName == nil)
        #expect(try CloudKitCredentials(contentsOf: key).userRecordName == nil)
        #expect(try CloudKitCredentials(environment: ["CABINET_CREDENTIALS": user.path]).userRecordName == "_ben")
        let error = #expect(throws: CabinetError.self) { try CloudKitCredentials(contentsOf: none) }
        #expect(error?.code == .invalidArguments && error?.message.contains("geheim") == false)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: pem.path)
        #expect(throws: CabinetError(.permissionFailure)) { try CloudKitCredentials(contentsOf: key) }
    }
}

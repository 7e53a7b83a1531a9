import Cabinet
import CabinetEncryption
import Foundation

/// Creates a user's secret key, replaces it, and reports each key by its public one: a reported key must exist, however the process ends.
struct KeySteps {
    static let user = "ann"
    static let container = "org.cabinet.crash"

    let store: FileKeyStore

    /// Creates a key, replaces it some times, and exits with 1 if a step failed.
    func run(_ count: Int) async -> Never {
        var hasFailed = false
        for step in 0...count {
            do {
                if step > 0 { try store.replaceKey(of: Self.user, in: Self.container, keepingOld: true) }
                let keys = try await store.keys(of: Self.user, in: Self.container) {
                    try AESGCMCipher().makeSecretKey()
                }
                guard let key = keys.secretKeys.first else { continue }
                let text = "ok \(try AESGCMCipher().publicKey(of: key).base64EncodedString())\n"
                FileHandle.standardOutput.write(Data(text.utf8))
            } catch {
                hasFailed = true
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
        }
        exit(hasFailed ? 1 : 0)
    }
}

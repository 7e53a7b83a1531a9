import Cabinet
import CabinetEncryption
import Foundation

/// A program that creates and replaces a user's secret keys in a file.
///
/// Each key that was reported is in the file, which can be read, and replaced again.
struct KeyScenario: CrashScenario {
    let name = "secret keys"
    let program = "SavingProcess"

    func arguments(in folder: URL) -> [String] { [folder.appendingPathComponent("keys").path, "keys", "3"] }

    func prepare(_ folder: URL) {}

    func losses(after run: CrashRun, in folder: URL) async throws -> [String] {
        let store = FileKeyStore(directory: folder.appendingPathComponent("keys"))
        let cipher = AESGCMCipher()
        let reported = run.output.filter { $0.hasPrefix("ok ") }.map { String($0.dropFirst(3)) }
        func keys() async throws -> [String] {
            try await store.keys(of: "ann", in: "org.cabinet.crash") { try cipher.makeSecretKey() }.secretKeys
                .map { try cipher.publicKey(of: $0).base64EncodedString() }
        }
        let found = try await keys()
        try store.replaceKey(of: "ann", in: "org.cabinet.crash", keepingOld: true)
        let replaced = try await keys()
        var losses = Set(reported).subtracting(found).map { "The key \($0) is lost." }
        if Array(replaced.dropFirst()) != found { losses.append("A replacement after it has lost a key.") }
        if run.status == 0, Set(reported).count != 4 { losses.append("It has reported \(reported).") }
        return losses
    }
}

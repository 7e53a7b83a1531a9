import Cabinet
import Foundation
import Testing

@testable import CabinetRemote

#if compiler(>=6.2) && canImport(Glibc)
@Suite("A file with a secret")
struct SecretFileTests {
    @Test("is named if it cannot be written, and does not remain")
    func fullDisk() async {
        // The limit of the sizes of files is one of the process.
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            signal(SIGXFSZ, SIG_IGN)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            limit.rlim_cur = 0
            setrlimit(resource, &limit)
            let file = SecretFile(url: folder.appending(path: "secret"))
            let error = #expect(throws: CabinetError.self) { try file.write(Data("secret".utf8)) }
            #expect(error?.code == .quotaExceeded)
            #expect(error?.message == "\(file.url.path) cannot be written: File too large.")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }
}
#endif

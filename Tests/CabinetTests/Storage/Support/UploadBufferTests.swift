import Foundation
import Testing

@testable import Cabinet

/// The bytes of assets between their upload and the transaction that adds them.
@Suite struct UploadBufferTests {
    private let buffer = UploadBuffer()

    @Test("An upload has the bytes that were appended to it, in their order, until it ends")
    func bytes() async throws {
        let (one, other) = (buffer.beginUpload(to: .public), buffer.beginUpload(to: .public))
        #expect(try buffer.bytes(of: one.id) == Data())
        try await one.append(Data("Gro".utf8))
        try await other.append(Data("Milk".utf8))
        try await one.append(Data("ceries".utf8))
        try await one.finish()
        #expect(try buffer.bytes(of: one.id) == Data("Groceries".utf8))
        #expect(try buffer.bytes(of: other.id) == Data("Milk".utf8))
        await one.end()
        await one.end()
        let error = #expect(throws: CabinetError.self) { try buffer.bytes(of: one.id) }
        #expect(error?.code == .internalError)
        #expect(try buffer.bytes(of: other.id) == Data("Milk".utf8))
    }

    @Test("Without files, nothing is left to remove")
    func files() throws {
        #expect(buffer.files(of: [], in: .public) == nil)
        #expect(buffer.removeAbandonedAssets(from: .public) == 0)
    }
}

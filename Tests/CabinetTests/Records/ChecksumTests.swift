@testable import Cabinet
import Foundation

#if canImport(CSHA256)
import CSHA256
#endif
import Testing

@Suite("Assets: checksums")
struct ChecksumTests {
    @Test(
        "The checksum is that of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ])
    func vectors(_ text: String, _ checksum: String) {
        #expect(Asset.Checksum(of: Data(text.utf8)).description == checksum)
    }

    @Test("A hundred thousand times a, in parts of any size")
    func parts() {
        for size in [1, 55, 63, 64, 65, 127, 1000] {
            var hash = SHA256()
            var count = 0
            while count < 100_000 {
                let part = min(size, 100_000 - count)
                hash.update(Data(repeating: UInt8(ascii: "a"), count: part))
                count += part
            }
            // From `printf 'a%.0s' {1..100000} | sha256sum`.
            #expect(hash.checksum.description == "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee")
            #expect(hash.checksum == hash.checksum)
        }
    }

    #if canImport(CSHA256)
    @Test("Every processor computes the same checksums")
    func portable() {
        let blocks = (0..<64 * 100).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        var (fast, portable) = ([UInt32](1...8), [UInt32](1...8))
        cabinet_sha256_compress(&fast, blocks, 100)
        cabinet_sha256_compress_portably(&portable, blocks, 100)
        #expect(fast == portable)
    }
    #endif

    @Test("A checksum is restored from its bytes, its description and its coding")
    func roundTrip() throws {
        let checksum = Asset.Checksum(of: Data("abc".utf8))
        #expect(Asset.Checksum(checksum.bytes) == checksum)
        #expect(Asset.Checksum(hexadecimal: checksum.description) == checksum)
        #expect(Asset.Checksum(hexadecimal: checksum.description.uppercased()) == checksum)
        #expect(try JSONDecoder().decode(Asset.Checksum.self, from: JSONEncoder().encode(checksum)) == checksum)
        #expect(StoredAsset(StoredAsset(checksum: checksum, size: .max).description)?.size == .max)
        #expect(checksum.fingerprint == "ungWv48Bz+pBQUDe")
    }

    @Test(
        "Invalid texts and bytes are not checksums",
        arguments: ["", "abc", String(repeating: "g", count: 64), String(repeating: "é", count: 32) + "\u{301}"])
    func malformed(_ text: String) {
        #expect(Asset.Checksum(hexadecimal: text) == nil)
        #expect(StoredAsset(text + ":1") == nil)
        #expect(Asset.Checksum(Array(text.utf8.prefix(31))) == nil)
        #expect(StoredAsset(String(repeating: "0", count: 64) + ":-1") == nil)
    }

    @Test("Checksums are ordered as their bytes are")
    func order() {
        let checksums = (0..<50).map { Asset.Checksum(of: Data([$0])) }
        #expect(checksums.sorted().map(\.description) == checksums.map(\.description).sorted())
    }
}

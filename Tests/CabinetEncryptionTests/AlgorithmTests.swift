import Cabinet
import Foundation
import Testing

@testable import CabinetEncryption

/// The algorithms by the vectors of their standards.
@Suite("The algorithms of encrypted values")
struct AlgorithmTests {
    @Test(
        "AES-256-GCM: the test cases 13, 14 and 16 of its specification",
        arguments: [
            (
                String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "", "",
                "530f8afbc74536b9a963b4f1c4cb738b"
            ),
            (
                String(repeating: "00", count: 32), String(repeating: "00", count: 12), "",
                String(repeating: "00", count: 16), "cea7403d4d606b6e074ec5d3baf39d18",
                "d0d1c8a799996bf0265b98b5d48ab919"
            ),
            (
                "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
                "feedfacedeadbeeffeedfacedeadbeefabaddad2",
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
                "76fc6ece0f4e1768cddf8853bb2d551b"
            ),
        ])
    func gcm(key: String, nonce: String, data: String, message: String, ciphertext: String, tag: String) throws {
        let (key, nonce, data) = (try bytes(key), try bytes(nonce), try bytes(data))
        let sealed = try AESGCM.seal(try bytes(message), key: key, nonce: nonce, authenticating: data)
        #expect(sealed.hexadecimal == ciphertext + tag)
        #expect(AESGCM.open(sealed, key: key, nonce: nonce, authenticating: data)?.hexadecimal == message)
        for position in sealed.indices {
            var damaged = sealed
            damaged[position] ^= 1
            #expect(AESGCM.open(damaged, key: key, nonce: nonce, authenticating: data) == nil)
        }
        #expect(AESGCM.open(sealed, key: key, nonce: nonce, authenticating: data + [0]) == nil)
        #expect(AESGCM.open(sealed.dropLast(), key: key, nonce: nonce, authenticating: data) == nil)
        #expect(AESGCM.open(sealed, key: key.dropLast(), nonce: nonce, authenticating: data) == nil)
    }

    @Test("HKDF: the test cases 1 and 3 of RFC 5869, the first 32 bytes")
    func hkdf() throws {
        let secret = Data(repeating: 0x0B, count: 22)
        #expect(
            try HKDF.key(from: secret, salt: Data(0...12), info: Data(0xF0...0xF9)).hexadecimal
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
        #expect(
            try HKDF.key(from: secret, info: Data()).hexadecimal
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    }

    @Test("X25519: the example of RFC 7748, section 6.1")
    func x25519() throws {
        let secret = try bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        let other = try bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        #expect(
            X25519.publicKey(of: secret)?.hexadecimal
                == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        #expect(
            X25519.sharedSecret(of: secret, with: other)?.hexadecimal
                == "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        // The point of order 1 shares zeros with every key.
        #expect(X25519.sharedSecret(of: secret, with: Data(count: 32)) == nil)
        #expect(X25519.sharedSecret(of: secret, with: other.dropLast()) == nil)
        #expect(X25519.publicKey(of: Data()) == nil)
    }

    private func bytes(_ text: String) throws -> Data { try #require(Data(hexadecimal: text)) }
}

import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetEncryption

/// The cipher: what it encrypts it decrypts, and nothing else.
@Suite("The cipher of encrypted values")
struct AESGCMCipherTests {
    private let cipher = AESGCMCipher()

    private func recipient(_ secret: Data, _ user: String = "ann") throws -> KeyRecipient {
        KeyRecipient(userRecordName: user, publicKey: try cipher.publicKey(of: secret))
    }

    @Test("A value is decrypted with its key and context alone")
    func values() throws {
        let (key, other) = (try cipher.makeZoneKey(), try cipher.makeZoneKey())
        for size in [0, 1, 15, 16, 17, 100_000] {
            let value = Data(RandomBytes.make(size))
            let ciphertext = try cipher.encrypt(value, with: key, context: Data("a".utf8))
            #expect(ciphertext.count == size + 45)
            #expect(cipher.keyID(of: ciphertext) == key.id)
            #expect(try cipher.decrypt(ciphertext, with: key, context: Data("a".utf8)) == value)
            #expect(throws: CabinetError.self) { try cipher.decrypt(ciphertext, with: key, context: Data("b".utf8)) }
            #expect(throws: CabinetError.self) {
                try cipher.decrypt(ciphertext, with: other, context: Data("a".utf8))
            }
            // Two encryptions differ.
            #expect(try cipher.encrypt(value, with: key, context: Data("a".utf8)) != ciphertext)
        }
    }

    @Test("Each changed bit is found")
    func changedBits() throws {
        let key = try cipher.makeZoneKey()
        let ciphertext = try cipher.encrypt(Data("secret".utf8), with: key, context: Data())
        for position in ciphertext.indices {
            for bit in 0..<8 {
                var damaged = ciphertext
                damaged[position] ^= 1 << UInt8(bit)
                #expect(throws: CabinetError.self) { try cipher.decrypt(damaged, with: key, context: Data()) }
            }
        }
    }

    @Test("Random and cut-off bytes are errors")
    func randomBytes() throws {
        var generator = SeededGenerator(seed: 7)
        let key = try cipher.makeZoneKey()
        let secret = try cipher.makeSecretKey()
        let whole = try cipher.encrypt(Data("secret".utf8), with: key, context: Data())
        let wrapped = try cipher.wrap(
            key, number: 1, for: try recipient(secret), from: secret, context: Data())
        for round in 0..<5000 {
            var bytes = Data(
                (0..<Int.random(in: 0...120, using: &generator)).map { _ in
                    UInt8.random(in: .min ... .max, using: &generator)
                })
            if round % 3 == 0 { bytes = whole.prefix(round % whole.count) }
            if round % 3 == 1, !bytes.isEmpty { bytes[bytes.startIndex] = UInt8(1 + round % 2) }
            // A slice, whose first index is not zero.
            let slice = (Data([9]) + bytes).dropFirst()
            for bytes in [bytes, slice] {
                #expect((cipher.keyID(of: bytes) != nil) == (bytes.count >= 45 && bytes.first == 1))
                #expect(throws: CabinetError.self) { try cipher.decrypt(bytes, with: key, context: Data()) }
                let key = WrappedKey(
                    keyID: wrapped.keyID, number: 1, recipient: wrapped.recipient, sender: wrapped.sender,
                    ciphertext: bytes)
                #expect(throws: CabinetError.self) { try cipher.unwrap(key, with: secret, context: Data()) }
            }
        }
    }

    @Test("A zone's key is unwrapped by its recipient alone, for its zone, number and ID, and from its sender")
    func wrappedKeys() throws {
        let key = try cipher.makeZoneKey()
        let (ann, ben, cleo) = (try cipher.makeSecretKey(), try cipher.makeSecretKey(), try cipher.makeSecretKey())
        let context = Data("zone".utf8)
        let wrapped = try cipher.wrap(key, number: 3, for: try recipient(ann), from: cleo, context: context)
        #expect(wrapped.keyID == key.id && wrapped.number == 3)
        #expect(wrapped.sender == (try cipher.publicKey(of: cleo)))
        #expect(try cipher.unwrap(wrapped, with: ann, context: context) == key)
        func changed(
            keyID: String? = nil, number: Int64 = 3, recipient: KeyRecipient? = nil, sender: Data? = nil,
            ciphertext: Data? = nil
        ) -> WrappedKey {
            WrappedKey(
                keyID: keyID ?? wrapped.keyID, number: number, recipient: recipient ?? wrapped.recipient,
                sender: sender ?? wrapped.sender, ciphertext: ciphertext ?? wrapped.ciphertext)
        }
        let others = [
            changed(keyID: try cipher.makeZoneKey().id), changed(number: 4),
            changed(recipient: try recipient(ann, "ben")), changed(recipient: try recipient(ben)),
            changed(sender: try cipher.publicKey(of: ben)), changed(sender: try cipher.publicKey(of: ann)),
            changed(sender: Data()), changed(sender: Data(count: 32)),
            // The version without a sender.
            changed(ciphertext: Data([1]) + wrapped.ciphertext.dropFirst()),
        ]
        for other in others {
            #expect(throws: CabinetError.self) { try cipher.unwrap(other, with: ann, context: context) }
        }
        #expect(throws: CabinetError.self) { try cipher.unwrap(wrapped, with: ben, context: context) }
        #expect(throws: CabinetError.self) { try cipher.unwrap(wrapped, with: cleo, context: context) }
        #expect(throws: CabinetError.self) { try cipher.unwrap(wrapped, with: ann, context: Data("other".utf8)) }
        #expect(throws: CabinetError.self) {
            try cipher.wrap(
                key, number: 1, for: KeyRecipient(userRecordName: "ann", publicKey: Data()), from: ann,
                context: context)
        }
        #expect(throws: CabinetError.self) {
            try cipher.wrap(key, number: 1, for: try recipient(ann), from: Data(), context: context)
        }
    }

    @Test("A key in the name of a sender cannot be created with public keys alone")
    func forgedKeys() throws {
        // The store has the public keys, and a key pair of its own.
        let (ann, store) = (try cipher.makeSecretKey(), try cipher.makeSecretKey())
        let key = try cipher.makeZoneKey()
        let own = try cipher.wrap(key, number: 1, for: try recipient(ann), from: store, context: Data())
        #expect(try cipher.unwrap(own, with: ann, context: Data()) == key)
        let forged = WrappedKey(
            keyID: own.keyID, number: 1, recipient: own.recipient, sender: own.recipient.publicKey,
            ciphertext: own.ciphertext)
        #expect(throws: CabinetError.self) { try cipher.unwrap(forged, with: ann, context: Data()) }
    }

    @Test("A key of the format's version decrypts what it encrypted, and is unwrapped")
    func format() throws {
        // A change of the format or of a derivation needs another version.
        let secret = Data(0..<32)
        let id = try HKDF.key(from: secret, info: Data("Cabinet key ID 1".utf8)).prefix(16).hexadecimal
        let key = ZoneKey(id: id, secret: secret)
        #expect(id == Self.keyID)
        let ciphertext = try #require(Data(hexadecimal: Self.ciphertext))
        #expect(try cipher.decrypt(ciphertext, with: key, context: Data("context".utf8)) == Data("\"milk\"".utf8))
        // Calculated by another implementation: Python's package cryptography.
        let wrapped = WrappedKey(
            keyID: id, number: 3, recipient: try recipient(Data(32..<64)),
            sender: try cipher.publicKey(of: Data(96..<128)),
            ciphertext: try #require(Data(hexadecimal: Self.wrappedStart + Self.wrappedEnd)))
        #expect(try cipher.unwrap(wrapped, with: Data(32..<64), context: Data("zone".utf8)) == key)
    }

    private static let keyID = "b75d7e4ce5a6163bf1963a65a2237cc5"
    private static let ciphertext =
        "01b75d7e4ce5a6163bf1963a65a2237cc56465666768696a6b6c6d6e6fe90850fba6780751051098d80a5ff0a63586d0d7ce2c"
    private static let wrappedStart = "0279a631eede1bf9c98f12032cdeadd0e7a079398fc786b88cc846ec89af85a51a"
    private static let wrappedEnd =
        "c8c9cacbcccdcecfd0d1d2d3eb560ad24c7a3abb4199ce10949beeb5b6cb33abf65fb59f38e32e46945ae8c6a4bcfd627de180f7474e5f51e7ca5758"
}

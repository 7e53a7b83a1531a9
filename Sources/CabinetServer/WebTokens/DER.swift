/// The few parts of DER (X.690) that keys and signatures consist of.
enum DER {
    /// The algorithm of keys on the curve P-256: ecPublicKey, prime256v1.
    static let p256: [UInt8] = [
        0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
        0x03,
        0x01, 0x07,
    ]
    /// The algorithm of RSA keys: rsaEncryption, without parameters.
    static let rsa: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// Returns a public key as a certificate has it: SubjectPublicKeyInfo.
    static func publicKey(_ algorithm: [UInt8], _ key: [UInt8]) -> [UInt8] {
        sequence(algorithm + value(0x03, [0] + key))
    }

    /// Returns a sequence of values.
    static func sequence(_ values: [UInt8]) -> [UInt8] { value(0x30, values) }

    /// Returns a positive integer.
    static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        // A zero stands before a byte that would make the number negative.
        return value(0x02, digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits)
    }

    private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        let count = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(count.count)] + count + content
    }
}

public import Foundation

/// The value of an encrypted field: its ciphertext, and in the program that has the key also the value itself.
///
/// Programs use ``Record/encryptedValues``. A store, a server, an export and another program only ever have the ciphertext: a value
/// that was not encrypted yet cannot be coded or stored.
public struct EncryptedValue: Sendable {
    /// The type of the value after decryption, which is never encrypted itself, a reference or an asset.
    let type: FieldType

    /// The encrypted value, or `nil` before the record is saved.
    public let ciphertext: Data?

    /// The value itself, if this process has it.
    let decryption: Decryption

    /// The result of a decryption.
    enum Decryption: Sendable {
        /// The value was not decrypted here.
        case none
        case value(FieldValue)
        case failure(any Error)
    }

    private init(type: FieldType, ciphertext: Data?, decryption: Decryption) {
        self.type = type
        self.ciphertext = ciphertext
        self.decryption = decryption
    }

    /// Creates the value of an encrypted field from its ciphertext.
    ///
    /// - Returns: `nil` if the field type is not encrypted.
    public init?(_ fieldType: FieldType, ciphertext: Data) {
        guard let type = fieldType.decrypted else { return nil }
        self.init(type: type, ciphertext: ciphertext, decryption: .none)
    }

    /// Creates a value that is encrypted when its record is saved; `nil` if values of its type cannot be.
    package init?(_ value: FieldValue) {
        guard value.fieldType.encrypted != nil else { return nil }
        self.init(type: value.fieldType, ciphertext: nil, decryption: .value(value))
    }

    /// The type of the field, which is encrypted.
    public var fieldType: FieldType { type.encrypted ?? .encryptedBytes }

    /// The value, if it was set or decrypted in this process.
    package var value: FieldValue? {
        if case .value(let value) = decryption { value } else { nil }
    }

    /// The value with the result of its decryption.
    func decrypted(as decryption: Decryption) -> EncryptedValue {
        EncryptedValue(type: type, ciphertext: ciphertext, decryption: decryption)
    }
}

extension FieldValue {
    /// The value itself; `nil` if it is encrypted.
    var plainValue: FieldValue? {
        if case .encrypted = self { nil } else { self }
    }

    /// The encrypted value; `nil` if the value is not encrypted.
    var encryptedValue: EncryptedValue? {
        if case .encrypted(let value) = self { value } else { nil }
    }
}

extension EncryptedValue: Hashable {
    /// Returns a Boolean value that indicates whether two values are equal.
    ///
    /// Values that were decrypted are compared themselves, and others by their ciphertexts, which differ after each encryption.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left.value, right.value) {
        case (let left?, let right?): return left == right
        case (nil, nil): return left.type == right.type && left.ciphertext == right.ciphertext
        default: return false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if let value { hasher.combine(value) } else { hasher.combine(ciphertext) }
    }
}

extension EncryptedValue: CustomStringConvertible {
    /// The type and the size of the ciphertext, never the value.
    public var description: String {
        ciphertext.map { "\(fieldType) of \($0.count) bytes" } ?? "\(fieldType), not encrypted yet"
    }
}

extension EncryptedValue: CustomReflectable {
    /// A mirror without the value, which must not get into logs.
    public var customMirror: Mirror {
        Mirror(self, children: ["fieldType": fieldType, "ciphertext": ciphertext as Any])
    }
}

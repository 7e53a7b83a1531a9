import Cabinet

/// The names of types in CloudKit Web Services.
enum CloudKitType {
    /// The type of all encrypted values, also of lists.
    private static let encryptedBytes = "ENCRYPTED_BYTES"

    /// Returns the name of a type: `INT64`, `STRING_LIST`.
    static func name(of type: FieldType) -> String {
        if type.isEncrypted { return encryptedBytes }
        let scalar = type.scalar == .asset ? "ASSETID" : type.scalar.rawValue
        return type.isList ? "\(scalar)_LIST" : scalar
    }

    /// Returns the type with a name; `nil` if the name leaves it to be inferred, such as `UNKNOWN_LIST` of an empty list.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if no type has the name.
    static func type(_ node: JSONNode) throws(CabinetError) -> FieldType? {
        let name = try node.string()
        if ["LIST", "UNKNOWN_LIST", "UNKNOWN", "EMPTY_LIST"].contains(name) { return nil }
        let isList = name.hasSuffix("_LIST")
        let scalar = isList ? String(name.dropLast(5)) : name
        switch scalar {
        case "ASSETID": return FieldType(.asset, isList: isList)
        case encryptedBytes where !isList: return .encryptedBytes
        default:
            guard let type = FieldType.Scalar(rawValue: scalar) else {
                throw node.error(expected: "a type such as STRING or INT64_LIST")
            }
            return FieldType(type, isList: isList)
        }
    }
}

extension Container {
    /// Returns the same container, which encrypts the values of ``Record/encryptedValues`` and decrypts them.
    ///
    /// ```swift
    /// let keys = FileKeyStore(directory: folder)
    /// let container = try Container(
    ///     identifier: "com.example.diary", backend: backend
    /// ).encrypting(with: Encryption(keyStore: keys))
    /// ```
    ///
    /// Use the result alone. <doc:EncryptingValues> has the details.
    ///
    /// - Parameter encryption: The key store and the cipher.
    /// - Returns: The container that encrypts. The receiver is unchanged.
    public func encrypting(with encryption: Encryption) -> Container {
        let client = ServiceClient(
            containerIdentifier: containerIdentifier, service: service, caller: caller,
            ownsService: client.ownsService, encryption: encryption)
        return Container(ownBackend: ownBackend, client: client)
    }

    /// Whether the container encrypts and decrypts the values of ``Record/encryptedValues``.
    package var hasKeyStore: Bool { client.encryption != nil }
}

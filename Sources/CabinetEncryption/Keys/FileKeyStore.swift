public import Cabinet
public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The secret keys of users in files that their owner alone can read.
///
/// Each user of each container has a file in the folder, with a line for each secret key, the current one first. Further lines have the
/// public keys whose secrets the user has revoked, and those that were accepted from other users. The file is all that it takes to read
/// the user's encrypted values: copy it to the user's other devices, and keep a backup of it.
///
/// Processes may use one folder at the same time. A file is written aside, brought to the disk, and only then given its name, so that
/// neither a full disk nor a crash damages a key.
public struct FileKeyStore: KeyStore {
    /// The folder of the files.
    public let directory: URL

    /// Creates a key store.
    ///
    /// - Parameter directory: The folder of the files, which is created for its owner alone with the first key.
    public init(directory: URL) {
        self.directory = directory
    }

    /// Returns the keys of a user, and creates one for a user without a file.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/permissionFailure`` if others can read the file or change it,
    ///   ``/Cabinet/CabinetError/Code/internalError`` if the file is damaged, ``/Cabinet/CabinetError/Code/quotaExceeded`` if the disk
    ///   is full, and ``/Cabinet/CabinetError/Code/badContainer`` if the file cannot be read or written.
    public func keys(
        of userRecordName: String, in containerIdentifier: String, creatingWith makeKey: @Sendable () throws -> Data
    ) async throws -> UserKeys {
        let file = url(of: userRecordName, in: containerIdentifier)
        if let keys = try read(file) { return keys }
        try create(file, makeKey)
        if let keys = try read(file) { return keys }
        throw CabinetError(.badContainer, "The key file \(file.path) was removed while it was created. Try again.")
    }

    /// Creates the file of a user, unless another process does.
    private func create(_ file: URL, _ makeKey: () throws -> Data) throws {
        try createDirectory()
        // The name is given to a complete file, by the first process alone.
        try write(UserKeys(secretKeys: [try makeKey()]), to: file).finishUnlessNamed()
    }

    /// Replaces the secret key of a user by a new one, with which zones are encrypted from now on.
    ///
    /// A replacement waits for those of other processes, at most ten seconds.
    ///
    /// - Parameters:
    ///   - userRecordName: The record name of the user.
    ///   - containerIdentifier: The identifier of the container.
    ///   - keepingOld: Whether the old keys are kept, so that what they encrypt can be read still. Otherwise the user revokes them:
    ///     the zones whose keys are encrypted for them alone are reported as reset, and programs delete them.
    /// - Throws: The errors of ``keys(of:in:creatingWith:)``, ``/Cabinet/CabinetError/Code/limitExceeded`` if the file has a thousand
    ///   keys, and ``/Cabinet/CabinetError/Code/serviceUnavailable`` if another process holds the folder for ten seconds.
    public func replaceKey(
        of userRecordName: String, in containerIdentifier: String, keepingOld: Bool
    ) throws {
        let file = url(of: userRecordName, in: containerIdentifier)
        if try read(file) == nil { try create(file) { try AESGCMCipher().makeSecretKey() } }
        try whileLocked { try replaceKey(in: file, keepingOld: keepingOld) }
    }

    private func replaceKey(in file: URL, keepingOld: Bool) throws {
        guard var keys = try read(file) else { throw failure(ENOENT, file) }
        try checkRoom(for: keys, file)
        if !keepingOld {
            keys.revokedPublicKeys.formUnion(try keys.secretKeys.map { try AESGCMCipher().publicKey(of: $0) })
            keys.secretKeys = []
        }
        keys.secretKeys.insert(try AESGCMCipher().makeSecretKey(), at: 0)
        try write(keys, to: file).finish()
    }

    /// Remembers the public key of another user in the file of a user.
    ///
    /// The call waits for those of other processes that change the folder, at most ten seconds.
    ///
    /// - Throws: The errors of ``replaceKey(of:in:keepingOld:)``, and ``/Cabinet/CabinetError/Code/invalidArguments`` for bytes that are
    ///   not a public key.
    public func accept(
        _ owner: KeyRecipient, replacing isReplacing: Bool, for userRecordName: String, in containerIdentifier: String
    ) async throws {
        guard owner.publicKey.count == X25519.keySize else {
            throw CabinetError(.invalidArguments, "The public key of \(owner.userRecordName) is not valid.")
        }
        let file = url(of: userRecordName, in: containerIdentifier)
        try whileLocked {
            guard var keys = try read(file) else { throw failure(ENOENT, file) }
            if keys.acceptedKeys[owner.userRecordName] == nil {
                try checkRoom(for: keys, file)
            } else if !isReplacing {
                return
            }
            keys.acceptedKeys[owner.userRecordName] = owner.publicKey
            try write(keys, to: file).finish()
        }
    }

    /// Throws unless a file has room for one more key.
    private func checkRoom(for keys: UserKeys, _ file: URL) throws(CabinetError) {
        let count = keys.secretKeys.count + keys.revokedPublicKeys.count + keys.acceptedKeys.count
        if count < Self.maximumCount { return }
        throw CabinetError(
            .limitExceeded,
            "The key file \(file.path) has \(Self.maximumCount) keys. Remove lines of keys that no value needs any more."
        )
    }

    /// Returns the file of a user's keys.
    ///
    /// - Parameters:
    ///   - userRecordName: The record name of the user.
    ///   - containerIdentifier: The identifier of the container.
    public func url(of userRecordName: String, in containerIdentifier: String) -> URL {
        // A checksum, because names of users may have any characters, and differ in case alone.
        let names = Data("\(containerIdentifier)\n\(userRecordName)".utf8)
        return directory.appendingPathComponent("\(Asset.Checksum(of: names)).keys")
    }

    /// Runs a closure while no other process replaces keys of the folder.
    private func whileLocked(_ body: () throws -> Void) throws {
        let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno, directory) }
        // The end of a process that crashes also ends its lock.
        defer { close(descriptor) }
        let end = ContinuousClock.now + .seconds(10)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure(errno, directory) }
            guard .now < end else {
                throw CabinetError(
                    .serviceUnavailable, "Another process replaces keys in \(directory.path). Try again.",
                    retryAfterSeconds: 1)
            }
            usleep(2_000)
        }
        try body()
    }

    private static let title = "Cabinet secret keys 1"
    private static let (revoked, accepted) = ("revoked", "accepted")
    /// The number of bytes that are read at most.
    private static let maximumSize = 1_048_576
    /// The number of keys of a file at most, which are fewer bytes.
    private static let maximumCount = 1_000

    /// Reads the keys of a file; `nil` if it does not exist.
    private func read(_ file: URL) throws(CabinetError) -> UserKeys? {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(errno, file)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw CabinetError(
                .permissionFailure,
                "Others can read or change \(file.path), which has secret keys. Restrict it: chmod 600 FILE")
        }
        let bytes: Data
        do {
            bytes = try handle.read(upToCount: Self.maximumSize) ?? Data()
        } catch {
            throw failure(EIO, file)
        }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var keys = UserKeys(secretKeys: [])
        var isWhole = lines.first == Self.title[...] && lines.popLast() == ""
        for line in lines.dropFirst() where isWhole { isWhole = Self.add(line, to: &keys) }
        if isWhole, !keys.secretKeys.isEmpty { return keys }
        throw CabinetError(
            .internalError,
            "The key file \(file.path) is damaged. Restore it from a copy; without it, encrypted values cannot be read."
        )
    }

    /// Adds the key of a line; returns whether the line has one.
    private static func add(_ line: Substring, to keys: inout UserKeys) -> Bool {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard let key = parts.last.flatMap({ Data(base64Encoded: $0) }), key.count == X25519.keySize else {
            return false
        }
        switch (parts[0], parts.count) {
        case (_, 1): keys.secretKeys.append(key)
        case (revoked, 2): keys.revokedPublicKeys.insert(key)
        case (accepted, 3):
            guard let name = Data(base64Encoded: parts[1]) else { return false }
            keys.acceptedKeys[String(decoding: name, as: UTF8.self)] = key
        default: return false
        }
        return true
    }

    /// Writes keys to a new file, which has no name yet.
    private func write(_ keys: UserKeys, to file: URL) throws -> PartialFile {
        let lines =
            keys.secretKeys.map { $0.base64EncodedString() }
            + keys.revokedPublicKeys.map { "\(Self.revoked) \($0.base64EncodedString())" }.sorted()
            + keys.acceptedKeys.map { name, key in
                "\(Self.accepted) \(Data(name.utf8).base64EncodedString()) \(key.base64EncodedString())"
            }.sorted()
        let text = ([Self.title] + lines).joined(separator: "\n") + "\n"
        let new = try PartialFile(at: file) { failure($0, file) }
        try new.append(Data(text.utf8))
        return new
    }

    private func createDirectory() throws(CabinetError) {
        do {
            try Disk.createFolder(at: directory, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CabinetError(.badContainer, "The folder \(directory.path) cannot be created.", underlyingError: error)
        }
    }

    private func failure(_ code: Int32, _ file: URL) -> CabinetError {
        CabinetError(
            // A symbolic link may lead to a file of another user.
            code == ELOOP ? .permissionFailure : Disk.code(of: code, otherwise: .badContainer),
            "The key file \(file.path) cannot be used: \(String(cString: strerror(code))).")
    }
}

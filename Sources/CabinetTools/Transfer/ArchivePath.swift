import Cabinet
package import Foundation

/// The paths of files that come from elsewhere, in an archive or a folder that a browser sends.
package enum ArchivePath {
    /// Returns where a file lies in a folder, and creates the folders in between.
    ///
    /// - Parameters:
    ///   - path: The path, with slashes; one at the end names a folder.
    ///   - folder: The folder. Nothing outside of it is named.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if a part of the path is empty, leads upward or is not a name
    ///   on every system, or if a file with the path exists.
    package static func url(of path: String, in folder: URL) throws -> URL {
        // By scalars, as the file system reads it: a slash and a combining mark after it are one character.
        let isFolder = path.unicodeScalars.last == "/"
        let parts = path.unicodeScalars.dropLast(isFolder ? 1 : 0).split(
            separator: "/", omittingEmptySubsequences: false
        ).map { String($0) }
        let isSafe = parts.allSatisfy { part in
            part != "." && part != ".." && (1...255).contains(part.utf8.count)
                && part.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{FFFD}" && $0 != "\\"
                }
        }
        guard isSafe, (1...8).contains(parts.count) else {
            throw CabinetError(.invalidArguments, "'\(path.prefix(80))' cannot be the name of a file to import.")
        }
        var parent = folder
        for part in parts.dropLast() { parent.append(path: part, directoryHint: .isDirectory) }
        do {
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        } catch {
            throw CabinetError(.invalidArguments, "'\(path.prefix(80))' lies below a file of the same name.")
        }
        let url = parent.appending(
            path: parts[parts.count - 1], directoryHint: isFolder ? .isDirectory : .notDirectory)
        var isExistingFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isExistingFolder)
        guard !exists || isFolder && isExistingFolder.boolValue else {
            throw CabinetError(.invalidArguments, "Two files have the name '\(path.prefix(80))'.")
        }
        return url
    }
}

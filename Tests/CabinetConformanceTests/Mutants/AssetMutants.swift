import Cabinet
import Foundation

extension Mutant {
    /// Backends that store the bytes of assets incorrectly.
    static let keepingAssets: [Mutant] = [
        Mutant(
            "changes a byte of an upload",
            caughtBy: [
                "a file's bytes are stored", "assets of every size are stored", "a decoded asset has no file",
                "a change that the file's date hides is found",
            ]
        ) { fault in
            fault.uploaded = { bytes in
                var bytes = bytes
                if let last = bytes.popLast() { bytes.append(last ^ 1) }
                return bytes
            }
        },
        Mutant("stores the first bytes of an upload", caughtBy: ["assets of every size are stored"]) {
            $0.uploaded = { $0.prefix(1 << 19) }
        },
        Mutant(
            "stores no added asset",
            caughtBy: [
                "lists of assets are stored", "the same bytes are stored once", "bytes belong to a database",
                "every kind of fetch returns assets with files", "a fetched asset can be saved again",
                "a reader keeps its file",
                "assets are found by their checksums, and in their order",
            ]
        ) { $0.ignoreMutations { if case .addAsset = $0 { true } else { false } } },
        Mutant(
            "stores an upload before a transaction adds it",
            caughtBy: ["an upload is invisible before a transaction has added it"]
        ) { $0.storesUploadsAtOnce = true },
        Mutant(
            "says that it has assets which it has not",
            caughtBy: ["an asset without bytes is refused", "assets are found by their checksums, and in their order"]
        ) { fault in
            fault.foundAssets = { found, checksums in
                zip(found, checksums).map { $0 ?? StoredAsset(checksum: $1, size: 10) }
            }
        },
        Mutant("lists assets in no order", caughtBy: ["assets are found by their checksums, and in their order"]) {
            $0.listedAssets = { $0.reversed() }
        },
        Mutant("reads a byte too many", caughtBy: ["any range of an asset's bytes can be read"]) {
            $0.assetBytes = { bytes, _ in bytes.map { $0 + [0] } }
        },
        Mutant(
            "takes every asset for one in use",
            caughtBy: [
                "bytes are removed with the last record that has them",
                "bytes are removed with records that a cascade or a zone deletes",
                "assets in use are found",
            ]
        ) { $0.usedAssets = { _, all in Set(all) } },
        Mutant(
            "takes no asset for one in use",
            caughtBy: [
                "bytes are removed with the last record that has them", "assets in use are found",
                "a copy keeps an asset that moves to another record",
            ]
        ) { $0.usedAssets = { _, _ in [] } },
        Mutant(
            "removes no asset",
            caughtBy: [
                "bytes are removed with the last record that has them", "removing assets can be rolled back",
                "deleted assets take no room",
            ]
        ) { $0.ignoreMutations { if case .removeAsset = $0 { true } else { false } } },
        Mutant("forgets the assets that a transaction has left", caughtBy: ["a removal that fails is made up for"]) {
            $0.ignoreMutations {
                guard case .setEntry(let key, _) = $0 else { return false }
                return key.text.hasPrefix("releasedAssets/")
            }
        },
        Mutant("treats uploads in progress as abandoned", caughtBy: ["only abandoned assets are removed as abandoned"])
        {
            $0.abandonsUploads = true
        },
        Mutant(
            "lets everyone read the files of assets", caughtBy: ["only the user may read a fetched asset's file"]
        ) { $0.sharesFiles = true },
        Mutant("lists one database", caughtBy: ["databases are listed"]) { $0.databases = { Array($0.prefix(1)) } },
        Mutant("lists fifty databases at most", caughtBy: ["databases are listed"]) {
            $0.databases = { Array($0.prefix(50)) }
        },
        Mutant(
            "finds the first 300 assets that are asked for",
            caughtBy: ["assets are found by their checksums, and in their order"]
        ) {
            $0.foundAssets = { found, _ in found.enumerated().map { $0.offset < 300 ? $0.element : nil } }
        },
        Mutant("finds the users of the first 300 assets that are asked for", caughtBy: ["assets in use are found"]) {
            $0.usedAssets = { used, all in used.intersection(all.prefix(300)) }
        },
    ]
}

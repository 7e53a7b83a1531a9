import Cabinet
import Foundation

extension Mutant {
    /// Backends that keep the bytes of assets badly.
    static let keepingAssets: [Mutant] = [
        Mutant(
            "changes a byte of an upload",
            caughtBy: [
                "a file's bytes come back", "assets of every size come back", "a decoded asset names no file",
                "a change that the file's date hides is found",
            ]
        ) { fault in
            fault.uploaded = { bytes in
                var bytes = bytes
                if let last = bytes.popLast() { bytes.append(last ^ 1) }
                return bytes
            }
        },
        Mutant("stores the first bytes of an upload", caughtBy: ["assets of every size come back"]) {
            $0.uploaded = { $0.prefix(1 << 19) }
        },
        Mutant(
            "stores no added asset",
            caughtBy: [
                "lists of assets come back", "the same bytes are stored once", "bytes belong to a database",
                "every way to fetch gives assets files", "a fetched asset can be saved again",
                "a reader keeps its file",
                "assets are found by their checksums, and in their order",
            ]
        ) { $0.ignoreMutations { if case .addAsset = $0 { true } else { false } } },
        Mutant(
            "stores an upload before a transaction adds it",
            caughtBy: ["an upload is found by nobody before a transaction has added it"]
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
        Mutant("reads a byte too many", caughtBy: ["bytes are read from where they are asked"]) {
            $0.assetBytes = { bytes, _ in bytes.map { $0 + [0] } }
        },
        Mutant(
            "takes every asset for one in use",
            caughtBy: [
                "bytes go with the last record that has them",
                "bytes go with records that a cascade or a zone takes along",
                "assets in use are found",
            ]
        ) { $0.usedAssets = { _, all in Set(all) } },
        Mutant(
            "takes no asset for one in use",
            caughtBy: [
                "bytes go with the last record that has them", "assets in use are found",
                "a copy keeps an asset that another record takes over",
            ]
        ) { $0.usedAssets = { _, _ in [] } },
        Mutant(
            "removes no asset",
            caughtBy: ["bytes go with the last record that has them", "removing assets can be undone"]
        ) { $0.ignoreMutations { if case .removeAsset = $0 { true } else { false } } },
        Mutant("takes uploads under way for abandoned", caughtBy: ["what is removed as abandoned is nobody's"]) {
            $0.abandonsUploads = true
        },
        Mutant(
            "lets everyone read the files of assets", caughtBy: ["a fetched asset's file is the user's alone"]
        ) { $0.sharesFiles = true },
        Mutant("lists one database", caughtBy: ["databases are listed"]) { $0.databases = { Array($0.prefix(1)) } },
    ]
}
